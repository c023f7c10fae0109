"""Full-domain generalisation: classes at any levels of the lattice, and the search over them."""
