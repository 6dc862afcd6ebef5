"""Near-duplicates against the comparison of all pairs."""

import random
import re

from linnet.evaluation import near_duplicates


def share(first: str, second: str) -> float:
    a, b = (set(re.findall(r"\w+", text.casefold())) for text in (first, second))
    return len(a & b) / len(a | b)


def test_pairs_are_those_of_all_pairs() -> None:
    chance = random.Random(0)
    words = [f"w{k}" for k in range(400)]
    texts = [" ".join(chance.sample(words, 12)) for _ in range(150)]
    for i in range(0, 100, 2):  # a copy in which some words are others
        copy = texts[i].split()
        for _ in range(chance.randrange(3)):
            copy[chance.randrange(12)] = chance.choice(words)
        chance.shuffle(copy)
        texts.append(" ".join(copy).upper())
    found = {(near.first, near.second): near.share for near in near_duplicates(texts, 0.7)}
    all_pairs = {
        (i, j): share(texts[i], texts[j])
        for j in range(len(texts))
        for i in range(j)
        if share(texts[i], texts[j]) >= 0.7
    }
    assert all(all_pairs[pair] == value for pair, value in found.items())
    assert len(all_pairs) >= 40
    assert len(found) >= 0.97 * len(all_pairs)
    sizes = [near.share for near in near_duplicates(texts, 0.7)]
    assert sizes == sorted(sizes, reverse=True)


def test_texts_without_words_are_alike_to_none() -> None:
    assert near_duplicates(["", "!!", "", "…"]) == []
    assert near_duplicates([]) == []
