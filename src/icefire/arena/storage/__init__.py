"""The database, the files handed in, the log and the queue of jobs."""
