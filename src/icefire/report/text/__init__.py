"""Reports in the terminal. Names come from other people's files, so they are never read as markup."""
