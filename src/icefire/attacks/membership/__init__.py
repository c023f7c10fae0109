"""Attacks on membership: is this record in the release, and which row is it?

Each receives a `MembershipCase` and answers, for every record asked about, with three released rows, best first, or
with -1 for "not a member". Those that match everybody at once also use the original, if the attacker holds it.
"""
