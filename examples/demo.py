"""Classifiers of bird-watchers' notes, and a look inside one of them: ``linnet demo``."""

from linnet.cli._birds import run

run()
