"""Scores of raw outputs, item by item: texts, tags, labels, trees, links, answers.

One module per task. Each has ``METRICS``, those that its columns serve, and
``score(systems, golds, metrics)``, which makes a :class:`~betterthan.tasks.sources.Scored` of the
texts of files; where the columns of all metrics are cheap, it makes them all. Tasks that share
metrics have ``recognise(text)``, which knows their reference files. Nothing is read from disk here,
and no option of a reader is known.
"""
