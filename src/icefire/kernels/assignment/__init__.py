"""One-to-one assignment of things to people.

- `auction`: assignment of nearly the largest total worth.
- `matching`: matching of the largest size.
- `random_exchanges`: a random matching from a given one.
"""
