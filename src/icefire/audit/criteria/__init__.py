"""The three criteria of Opinion 05/2014 of the Article 29 Working Party: singling out, linkability, inference."""
