"""Logs of evaluation harnesses: one module per harness."""
