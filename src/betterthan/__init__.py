"""Decide, with statistical honesty, whether one system is really better than another."""
