"""Groups of k similar points."""
