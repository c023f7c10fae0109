"""Accounts, teams, passwords, sessions, tokens and login throttling."""
