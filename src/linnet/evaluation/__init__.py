"""How good is it, how sure are we, and which settings are best: functions on labels and scores."""

from __future__ import annotations

from linnet.evaluation.answers import Answers, answers
from linnet.evaluation.bracket_table import bracket_table
from linnet.evaluation.brackets import COLLINS, BracketScores, EvalbRules, bracket_scores
from linnet.evaluation.comparison import Compared, Contender, against_the_best, compare
from linnet.evaluation.curves import (
    Covered,
    Mistake,
    PrecisionRecall,
    brier,
    log_loss,
    precision_recall,
    selective,
    worst_errors,
)
from linnet.evaluation.judges import Judge, by_brackets, by_labels, by_tags, by_trees
from linnet.evaluation.leaks import Leak, leaks, repeats
from linnet.evaluation.metrics import METRICS, Confusions, Counts, confusion, confusions, count, metric
from linnet.evaluation.near import Near, near_duplicates
from linnet.evaluation.numbers import NUMBER_METRICS, NumberTally, by_numbers
from linnet.evaluation.report import report, versus
from linnet.evaluation.resampling import Difference, Interval, bootstrap, paired_bootstrap
from linnet.evaluation.shared_task import (
    SharedTaskScore,
    shared_task_report,
    shared_task_scores,
    shared_task_table,
)
from linnet.evaluation.significance import McNemar, mcnemar
from linnet.evaluation.spans import Span, SpanCounts, column_counts, span_counts, spans
from linnet.evaluation.splits import (
    given,
    grouped,
    held_out,
    leave_one_out,
    plain,
    plain_held_out,
    stratified,
)
from linnet.evaluation.tallies import LabelTally, SumTally, Tally, score
from linnet.evaluation.tree_table import tree_table
from linnet.evaluation.trees import TreeScores, tree_scores
from linnet.evaluation.tuning import TuneResult, TuneRow, tune

__all__ = [
    "COLLINS",
    "METRICS",
    "NUMBER_METRICS",
    "Answers",
    "BracketScores",
    "Compared",
    "Confusions",
    "Contender",
    "Counts",
    "Covered",
    "Difference",
    "EvalbRules",
    "Interval",
    "Judge",
    "LabelTally",
    "Leak",
    "McNemar",
    "Mistake",
    "Near",
    "NumberTally",
    "PrecisionRecall",
    "SharedTaskScore",
    "Span",
    "SpanCounts",
    "SumTally",
    "Tally",
    "TreeScores",
    "TuneResult",
    "TuneRow",
    "against_the_best",
    "answers",
    "bootstrap",
    "bracket_scores",
    "bracket_table",
    "brier",
    "by_brackets",
    "by_labels",
    "by_numbers",
    "by_tags",
    "by_trees",
    "column_counts",
    "compare",
    "confusion",
    "confusions",
    "count",
    "given",
    "grouped",
    "held_out",
    "leaks",
    "leave_one_out",
    "log_loss",
    "mcnemar",
    "metric",
    "near_duplicates",
    "paired_bootstrap",
    "plain",
    "plain_held_out",
    "precision_recall",
    "repeats",
    "report",
    "score",
    "selective",
    "shared_task_report",
    "shared_task_scores",
    "shared_task_table",
    "span_counts",
    "spans",
    "stratified",
    "tree_scores",
    "tree_table",
    "tune",
    "versus",
    "worst_errors",
]
