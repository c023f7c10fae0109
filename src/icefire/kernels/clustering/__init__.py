"""Clusters of item sets.

- `kmeans`: k-means by cosine or Jaccard similarity.
- `balancing`: small clusters filled from the largest.
- `annealing`: simulated annealing for the fewest dummy purchases.
"""
