"""Attacks on hidden values: what does the release tell about a sensitive column of people known by others?"""
