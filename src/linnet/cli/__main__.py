"""``python -m linnet.cli``."""

from linnet._start import main

main()
