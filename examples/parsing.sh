#!/bin/sh
# Trees of a walking club's notes: train, parse, draw, score, ask why.
#
#     sh examples/parsing.sh
set -eu
data=$(python3 -c 'import linnet.data.samples as s; print(s.__path__[0])')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "# CoNLL-U comes back with HEAD and DEPREL filled"
linnet train "$data/rambles-train.conllu" -o "$work/trees.linnet" --task parse --quiet
linnet parse "$work/trees.linnet" "$data/rambles-test.conllu" | sed -n '1,14p'

echo "# How good is it?"
linnet evaluate "$work/trees.linnet" "$data/rambles-test.conllu" --worst 2 2>/dev/null

echo "# Running text: tagger and parser in one model"
linnet train "$data/rambles-train.conllu" -o "$work/words.linnet" --task parse --tagger auto --quiet
echo "The young farmer saw a heron near the mill." | linnet parse "$work/words.linnet" --draw

echo "# Why is the heron what was seen?"
linnet explain "$work/words.linnet" "The young farmer saw a heron." --word 6

echo "# Trees whose arcs may cross"
linnet train "$data/rambles-train.conllu" -o "$work/any.linnet" --task parse --non-projective --quiet
linnet evaluate "$work/trees.linnet" "$data/rambles-test.conllu" --against "$work/any.linnet" 2>/dev/null | tail -3
