"""Attacks on synthetic releases: was this person in the data that the release was made from?

Each receives a `MembershipCase` and answers with a score per record, the higher the likelier a member.
"""
