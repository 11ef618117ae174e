"""Scores of raw outputs, item by item: texts, tags, labels, trees, links, answers.

One module per task. Each has three names: ``METRICS``, those that its columns serve;
``recognise(text)``, which tells its reference files; and
``score(systems, golds, metrics)``, which makes a :class:`~betterthan.tasks.sources.Scored` of the
texts of files. Nothing is read from disk here, and no option of a reader is known.
"""
