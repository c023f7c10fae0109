"""Attacks on histories: which original customer is this released one?"""
