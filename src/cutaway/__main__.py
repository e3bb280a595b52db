"""`python -m cutaway`, the same as the command."""

from cutaway.cli import main

main()
