"""Findings beside the attacks: who is at risk and why, and what was lost."""
