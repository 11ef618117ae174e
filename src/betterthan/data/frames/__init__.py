"""Data frames of any kind, wide or long, as aligned blocks."""
