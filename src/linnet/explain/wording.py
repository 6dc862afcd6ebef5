"""An explanation in words: what the terminal and HTML have in common."""

from __future__ import annotations

from linnet.explain.explanation import Explanation
from linnet.explain.tag_explanation import TagExplanation, Term, TokenExplanation

MOST_ROWS = 12  # features shown for a label
MOST_LABELS = 3
MOST_TERMS = 8  # shown for a token
SHARED = "a word has what its n-grams add, and an equal share of those it has with other words"


def plain(explanation: Explanation) -> str:
    """Without colour: one line for each label and each word or feature."""
    lines = [heading(explanation)]
    for y in explanation.best(MOST_LABELS):
        lines.append(headline(explanation, y))
        lines += [
            f"  {total:+9.4f}  {label_of_row(name, times)}"
            for name, total, times in explanation.strongest(y)[:MOST_ROWS]
        ]
    if explanation.by == "word":
        lines.append(SHARED)
    if explanation.unknown:
        lines.append(unknown(explanation))
    return "\n".join(lines)


def heading(explanation: Explanation) -> str:
    """What the model says of the text, and how sure it is."""
    label = explanation.label
    if explanation.number:
        return f"{label} {explanation.scores[0]:.6g}"
    said = "label" if explanation.answer is None else f"{explanation.answer}; best label"
    if explanation.probabilities is not None:
        return f"{said} {label}, probability {explanation.probabilities[label]:.3f}"
    score = explanation.scores[explanation.best(1)[0]]
    score = -score if label == explanation.against else score
    return f"{said} {label}, score {score:+.4f} (no probability: the scores are margins)"


def headline(explanation: Explanation, y: int) -> str:
    """The label, how probable it is, its score and the part of it that every text gets."""
    name = shown = explanation.labels[y]
    if explanation.number:
        return f"{shown}: {explanation.scores[y]:.6g}, of which bias {explanation.bias[y]:+.4f}"
    if explanation.against is not None:
        shown += f" (not {explanation.against})"
    if explanation.probabilities is not None:
        shown += f": probability {explanation.probabilities[name]:.3f}, score"
    else:
        shown += ": score"
    return f"{shown} {explanation.scores[y]:+.4f}, of which bias {explanation.bias[y]:+.4f}"


def legend(explanation: Explanation) -> tuple[str, str, str]:
    """What green means, what red does, and what else there is to know."""
    if explanation.number:
        sides = "raises the number", "lowers it"
    elif explanation.against is None:
        sides = "speaks for the label", "speaks against it"
    else:
        sides = f"speaks for {explanation.labels[0]}", f"speaks for {explanation.against}"
    return *sides, "the fuller, the more" + (f"; {SHARED}" if explanation.by == "word" else "")


def unknown(explanation: Explanation) -> str:
    """How much of the text the model does not know."""
    known = sum(piece.end > piece.begin for piece in explanation.pieces)
    return f"{explanation.unknown} of {known + explanation.unknown} words and n-grams unknown"


def label_of_row(name: str, times: int) -> str:
    """The name of a feature and how often it occurs."""
    return name if times == 1 else f"{name} (×{times})"


def plain_tags(explanation: TagExplanation) -> str:
    """Without colour: a line for each token, and below it one for each of its strongest terms."""
    lines = [score_of(explanation)]
    for token in explanation.tokens:
        lines.append(f"{token.token}: {verdict(token)}")
        lines += [
            "  {:>9} {:>9}  {}".format(*term_numbers(term), term.name)
            for term in token.strongest()[:MOST_TERMS]
        ]
    return "\n".join(lines)


def score_of(explanation: TagExplanation) -> str:
    """The score of the sentence, and what the two numbers of each term are."""
    return f"score {explanation.score:+.4f}; of each term: its share, and its lead over the runner-up"


def verdict(token: TokenExplanation) -> str:
    """The tag, how sure it is, and the one that came second."""
    sure = "" if token.probability is None else f" ({token.probability:.3f})"
    if token.runner_up is None:
        return f"{token.tag}{sure}"
    return f"{token.tag}{sure}, {token.margin:.4f} ahead of {token.runner_up}"


def term_numbers(term: Term) -> tuple[str, str]:
    """Its share of the score, and its lead over the runner-up."""
    return f"{term.contribution:+.4f}", f"{term.difference:+.4f}"
