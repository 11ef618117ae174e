"""What is promised, beside what is measured: ``python -m calibrate`` (``make calibrate``).

Simulated evaluations with a known truth go through the tests, intervals, rank sets and gates that
users call. Every cell of the grid is a world, a size and a design of clusters; batches of
replicates are kept as they are done, so that a run can be stopped and taken up again. The page
``docs/calibration.md`` is written from what is kept, and the command fails if a promise is broken.
"""
