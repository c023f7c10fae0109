"""Reports: the same scorecard for the terminal (`text`) and as one HTML page (`html`). Nothing is computed anew."""
