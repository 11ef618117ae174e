"""What is promised, next to what is measured: ``python -m calibrate`` (``make calibrate``).

Simulated evaluations of known truth, and resampled real ones, go through the tests, intervals,
gates and rank sets that users call. :mod:`calibrate.table` lists what is measured, of what sizes,
and what is promised; batches of replicates are kept, so that a run can be stopped and continued.
"""
