"""``python -m linnet.cli``."""

from linnet.cli import main

main(prog_name="linnet")
