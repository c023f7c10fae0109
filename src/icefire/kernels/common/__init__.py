"""Threads, random draws, sums and permutations that several kernels use."""
