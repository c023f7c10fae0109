"""The arena: teams anonymise, attack one another, and one judge scores.

One competition lives in one folder: its definition, the original data, a database (SQLite there, or PostgreSQL
elsewhere), what was handed in, and, apart from it, what nobody but the judge may see.
"""
