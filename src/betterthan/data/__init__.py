"""Input data, checked once: Scores, Judgments, and the Pair that is carried to the end."""
