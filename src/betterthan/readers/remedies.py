"""What readers advise in several places."""

from betterthan.errors import Remedy

READ_ITEMS = Remedy("read the items", "items", True)
"""What cannot be grouped and counted in place can often be read."""

WITHOUT_SCORES = (
    Remedy("leave out items without a score", "missing", "drop"),
    Remedy("count a missing score as the worst one", "missing", "worst"),
)
"""What becomes of items without a score."""
