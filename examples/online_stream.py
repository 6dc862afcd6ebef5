"""Learning from a stream: notes come in batches, with words and birds never seen before."""

import re
from collections import Counter

import linnet
from linnet.data import samples


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[a-z-]+", text.lower()))


texts, birds = samples.load("birds-train")
test_texts, test_birds = samples.load("birds-test")
test = [words(text) for text in test_texts]

# The magpies arrive late: first all other birds, then everything.
early = [(t, b) for t, b in zip(texts, birds, strict=True) if b != "magpie"][:400]
stream = [*early, *zip(texts, birds, strict=True)]

model = linnet.Perceptron()
for at in range(0, len(stream), 200):
    batch = stream[at : at + 200]
    model.partial_fit([words(text) for text, _ in batch], [bird for _, bird in batch])
    print(
        f"{at + len(batch):5} notes  {len(model.vocabulary_):4} words  {len(model.classes_)} birds  "
        f"{model.record_.mistakes:4} mistakes so far  {model.score(test, test_birds):.3f} held-out"
    )
