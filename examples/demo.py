"""Classifiers of bird-watchers' notes and taggers of their log: ``linnet demo``."""

from linnet.cli.demo import command

command(standalone_mode=False)
