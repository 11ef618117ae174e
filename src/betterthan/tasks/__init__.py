"""What systems put out, and what it is worth: per-item columns of the field's tasks.

One module a task. Each has three names: ``METRICS``, those that its columns serve;
``recognise(text)``, which tells its gold files from their first lines; and
``score(systems, golds, metrics)``, which turns the texts of files into columns. Nothing is read
from disk here.
"""
