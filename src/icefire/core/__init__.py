"""Types and functions that every stage uses: data, roles, releases, the registry, the scorecard, errors."""
