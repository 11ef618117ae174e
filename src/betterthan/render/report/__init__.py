"""The report: one HTML file, a small application that needs neither network nor other files.

``page`` writes it; ``compared``, ``boards``, ``items`` and ``laws`` say what the pages of
comparisons and leaderboards show, ``pictures`` what those of other results do. The page's own
script and style are in ``script/`` and ``page.css``, as readable there as in the report.
"""
