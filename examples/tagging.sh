#!/bin/sh
# Names of birds, people and places in a bird club's log: train, tag, score, look inside.
#
#     sh examples/tagging.sh
set -eu
data=$(python3 -c 'import linnet.data.samples as s; print(s.__path__[0])')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "# Columns come back with the tag as the last one"
linnet train "$data/sightings-train.conll" -o "$work/names.linnet" --quiet
linnet tag "$work/names.linnet" "$data/sightings-test.conll" | sed -n '1,11p'

echo "# How good is it?"
linnet evaluate "$work/names.linnet" "$data/sightings-test.conll" --worst 2

echo "# Running text, by a model that looks at words alone"
linnet train "$data/sightings-train.conll" -o "$work/words.linnet" --features pos --quiet
echo "Robin saw a barn owl near Thornham. Mrs. Heron missed it." | linnet tag "$work/words.linnet"

echo "# Other models of sequences"
linnet compare "$data/sightings-train.conll" --test "$data/sightings-test.conll"
