"""The contest: its definition, phases, quotas, signing key, and the opened `Arena` that every action needs."""
