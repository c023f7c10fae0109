"""Sources of tables, one file per family; `registry` finds them. A new source is a new file with a `SOURCES` list."""
