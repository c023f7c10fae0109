"""Train the model of `icefire fingerprint`: tables and releases drawn at random, boosted trees.

    python -m training.fingerprint CACHE

writes `src/icefire/audit/fingerprint/model.json.gz`. Nothing but synthetic tables is trained on. CACHE is a folder for
matchings of rows, which take most of the time (about fifteen minutes of CPU); with it filled, the rest takes three or
four.
"""
