"""How large a file may be: measured by the data of the round, not by the largest contest there could be."""

from __future__ import annotations

from icefire.arena.contest.arena import Arena

LEAST = 1 << 20
"""What is always taken: small data may become longer by names of groups and intervals."""
GROWTH = 8
"""How many times as large as the original a file may be."""


def file_limit(arena: Arena, round_name: str) -> int:
    """Return how many bytes each file of a submission to a round may have."""
    largest = max(path.stat().st_size for path in arena.originals(round_name).values())
    return min(arena.definition.max_upload_mb << 20, max(LEAST, GROWTH * largest))


def largest_file_limit(arena: Arena) -> int:
    """Return the limit of the round with the largest data."""
    return max(file_limit(arena, one.name) for one in arena.definition.rounds)
