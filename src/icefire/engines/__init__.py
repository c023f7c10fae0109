"""Engines for tables that do not fit into one process: `partitioned` (one machine, on disk) and `spark` (a cluster).

Both follow one plan: text becomes codes of one dictionary (coding), the rows of both tables go to buckets by a hash of
their class (hashing), the functions of measures and attacks run on every bucket (core.parts), and their results are
merged. The engine `local` is the ordinary driver: everything in one process.
"""
