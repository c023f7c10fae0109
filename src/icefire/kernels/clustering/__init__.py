"""Clusters of item sets: k-means, balancing, simulated annealing."""
