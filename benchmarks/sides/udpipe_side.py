"""UDPipe 1 learns from a treebank: `train`, files for training and development, the model it makes."""

from __future__ import annotations

import sys
from pathlib import Path

import ufal.udpipe as udpipe


def sentences(path: Path) -> udpipe.Sentences:
    """Those of a file of CoNLL-U."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    found, error, sentence = udpipe.Sentences(), udpipe.ProcessingError(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    return found


def main() -> None:
    """Train with the usual settings."""
    _, train, dev, model = sys.argv[1:5]
    error = udpipe.ProcessingError()
    kind, data = "morphodita_parsito", [sentences(Path(path)) for path in (train, dev)]
    made = udpipe.Trainer.train(kind, *data, "", "", "", error)
    if error.occurred():
        raise RuntimeError(error.message)
    Path(model).write_bytes(made if isinstance(made, bytes) else made.encode("latin-1"))


main()
