"""Confidence intervals, and the one tree that chooses among them."""
