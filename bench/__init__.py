"""Side-by-side benchmarks: ratios measured in one run, never asserted."""
