"""The pages, one file per subject; each has a `router`."""
