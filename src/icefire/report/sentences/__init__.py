"""Sentences about a scorecard for a reader who is not a statistician; shared by the terminal and the HTML page."""
