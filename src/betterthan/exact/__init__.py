"""The exact engine: null laws of paired tests without sampling."""
