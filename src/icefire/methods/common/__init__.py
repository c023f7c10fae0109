"""Functions that several methods share: columns, ranges, outliers, normal draws, format-preserving mappings."""
