"""Attacks: one file each. An attack receives a `Case` and answers with a `Guess`; it never sees the truth."""
