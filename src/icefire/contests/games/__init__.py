"""How contests are played: tables and histories that ask for the origin of rows, and tables that ask for members."""
