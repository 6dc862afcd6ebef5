"""Learning from examples without labels: each algorithm is a file, over rows that are there already."""

from linnet.learners.unlabelled.co_training import co_train
from linnet.learners.unlabelled.em import EM, naive_bayes_em
from linnet.learners.unlabelled.entropy import EntropyRegularised
from linnet.learners.unlabelled.propagation import neighbour_graph, spread
from linnet.learners.unlabelled.self_training import most_certain, self_train
from linnet.learners.unlabelled.vectors import directions
from linnet.learners.unlabelled.word_classes import WordClasses, exchange_classes

__all__ = [
    "EM",
    "EntropyRegularised",
    "WordClasses",
    "co_train",
    "directions",
    "exchange_classes",
    "most_certain",
    "naive_bayes_em",
    "neighbour_graph",
    "self_train",
    "spread",
]
