"""The command line: read, call, render. Nothing is computed here."""

from betterthan.cli.app import main

__all__ = ["main"]
