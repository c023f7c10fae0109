"""Attacks on changing pseudonyms: which pseudonyms of two periods are one person? By goods, or by everything."""
