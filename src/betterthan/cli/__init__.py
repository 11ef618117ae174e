"""The command line: read, call a public function, render. Nothing is computed here."""

from betterthan.cli.app import main

__all__ = ["main"]
