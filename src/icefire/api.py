"""The verbs: read, anonymize, audit, attack, score, inspect, sample. The command line says the same words."""

from __future__ import annotations

from icefire.verbs.anonymize import anonymize
from icefire.verbs.attack import attack
from icefire.verbs.audit import audit
from icefire.verbs.inspect import inspect
from icefire.verbs.read import read
from icefire.verbs.sample import sample
from icefire.verbs.score import score

__all__ = ["anonymize", "attack", "audit", "inspect", "read", "sample", "score"]
