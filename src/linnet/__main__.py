"""``python -m linnet``: the command line."""

from linnet.cli import main

main(prog_name="linnet")
