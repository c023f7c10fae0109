"""Attacks on tables: which original row is this released row?"""
