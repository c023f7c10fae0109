"""Nearest rows and points in boxes: kd-trees, scans, single values."""
