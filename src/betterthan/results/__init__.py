"""What every method hands back: one protocol, one sheet, one signature."""
