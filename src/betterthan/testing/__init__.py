"""Paired tests: permutation, bootstrap and the classics, all of a Pair."""
