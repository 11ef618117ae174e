"""The only resampler: seeds and blocks, counts of draws, systems ready to be resampled."""
