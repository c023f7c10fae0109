"""What one can do with icefire, a verb to a file. `icefire.api` and the command line say the same words."""
