"""Tables of any kind: opened, their columns read by a short contract, one row per item."""
