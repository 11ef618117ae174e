"""Is one system really better than another?"""
