"""Obstacles to a release: what stands in its way whatever the limits say, one file per idea."""
