"""The version, where everything can read it without importing anything else."""

__version__ = "0.1.0"
SERIES = __version__.rpartition(".")[0]
"""Releases of one series give the same numbers for the same signature."""
