"""From files, frames and engines to Scores, Judgments and tallies."""
