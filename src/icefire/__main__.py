"""Run the command line with `python -m icefire`."""

from icefire.cli import main

main()
