"""Reports: a scorecard in the terminal (`text`) and as one HTML page (`html`); `sentences` are shared by both.

Everything shown is read from the scorecard; nothing is computed anew.
"""
