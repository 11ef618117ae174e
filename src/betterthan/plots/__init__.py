"""Plots: a result in, matplotlib axes out."""
