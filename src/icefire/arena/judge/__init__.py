"""The judge: jobs that wait for it, workers that take them, and the confined child that does the sums."""
