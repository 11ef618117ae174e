"""Results written down: text, Markdown, LaTeX, JSON, CSV and HTML. Results know nothing of this."""
