"""Features of input and output together: f(x, y) over the label set, and over lists of candidates."""

from linnet import JointClassifier, Reranker


def name_in_text(text: str, bird: str) -> list[str]:
    """Shared by all birds: "the text has a word that begins with the bird's name"."""
    return ["name begins a word"] * any(word.startswith(bird) for word in text.lower().split())


notes = ["Two owls in the barn", "A wrenlike song, so a wren", "Linnets on the gorse", "An owl again"]
birds = ["owl", "wren", "linnet", "owl"]
classifier = JointClassifier(name_in_text, labels=["heron"]).fit(notes, birds)
# One weight was learnt, and it holds for a bird that no note was about.
print(dict(zip(classifier.vocabulary_.names, classifier.coef_.round(2).tolist(), strict=True)))
print(classifier.predict(["Herons at the weir", "Was that an owlet?"]).tolist())

# Reranking: each instance brings its own candidates, each candidate its own features.
readings = [
    [{"edits": 0, "log frequency": -9.1}, {"edits": 1, "log frequency": -4.2}],
    [{"edits": 0, "log frequency": -3.0}, {"edits": 1, "log frequency": -3.5}],
    [{"edits": 0, "log frequency": -9.9}, {"edits": 2, "log frequency": -6.0}, {"edits": 1}],
]
right = [1, 0, 2]
reranker = Reranker("hinge", "mira", "none").fit(readings, right)
print(reranker.predict([[{"edits": 0, "log frequency": -8.0}, {"edits": 1, "log frequency": -2.0}]]))
