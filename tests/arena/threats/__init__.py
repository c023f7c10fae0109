"""The twenty threats: attacks played against the arena, and sabotages that prove that each attack can succeed.

A check plays an attack and raises AssertionError if it succeeds. A sabotage takes the defence out. The table in
test_threats.py says which belong together.
"""
