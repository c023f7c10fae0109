"""Read and write tables, histories and release folders."""
