"""The colours of plots and report, each with one meaning.

Blue is the candidate and what speaks for it: its scores, items won, *better*. Vermilion is the
baseline and what speaks for that: items lost, *worse*. Grey is a tie, *can't tell*. Purple is the
tail that is a p-value. Curves of anything else have the other colours. All are from or near the
palette of Okabe & Ito (2008), which the colour-blind can tell apart.
"""

LIGHT = {
    "ink": "#1f2933",
    "soft": "#616e7c",
    "faint": "#e4e7eb",
    "page": "#ffffff",
    "box": "#f5f7fa",
    "candidate": "#0072b2",
    "baseline": "#d55e00",
    "tie": "#b8c1cc",
    "tail": "#1f2933",
    "green": "#009e73",
    "gold": "#b98500",
    "pink": "#cc79a7",
    "violet": "#785ef0",
}
DARK = {
    "ink": "#e6e9ed",
    "soft": "#a3aeba",
    "faint": "#323b46",
    "page": "#14181d",
    "box": "#1e242b",
    "candidate": "#58b3ee",
    "baseline": "#ff9350",
    "tie": "#55616e",
    "tail": "#e6e9ed",
    "green": "#3fcf9f",
    "gold": "#e6b84c",
    "pink": "#e5a5c8",
    "violet": "#a594ff",
}
"""The same on a dark page."""

SERIES = ("green", "gold", "violet", "ink", "pink", "soft")
"""Colours of curves that are neither candidate nor baseline, in this order."""
