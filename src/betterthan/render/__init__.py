"""Results written down: text, Markdown, LaTeX, JSON and CSV. Results know nothing of this."""
