"""Pairwise judgments: arena battles, AlpacaEval annotations, side-by-side ratings."""
