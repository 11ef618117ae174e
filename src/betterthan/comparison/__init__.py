"""The orchestrator: from Scores to verdicts, adjusted for their number."""
