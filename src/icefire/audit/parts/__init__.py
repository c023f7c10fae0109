"""Audits and recipes of tables that an engine holds in parts, larger than one process."""
