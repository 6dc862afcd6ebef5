"""``python -m linnet``: the command line."""

from linnet._start import main

main()
