"""Classifiers of bird-watchers' notes, taggers of their log, trees of walkers: ``linnet demo``."""

from linnet.cli.demo import command

command(standalone_mode=False)
