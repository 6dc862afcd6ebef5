#!/bin/sh
# The classic exercise: is this title about a person? Train, predict, grade, compare.
#
#     LINNET_DATA=/where/the/corpora/are sh examples/titles.sh
#
# The course's constant 0.001 weighs the penalty against the mean loss of one title: --alpha.
set -eu
data=${LINNET_DATA:?set LINNET_DATA to the folder that holds titles-en/train.tsv and test.tsv}/titles-en
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
words="--word 1 --tf count --scale none --norm none"

grade() {  # name, options of train …
  name=$1
  shift
  linnet train "$data/train.tsv" -o "$work/m.linnet" --quiet "$@"
  cut -f2- "$data/test.tsv" | linnet predict "$work/m.linnet" >"$work/answers"
  cut -f1 "$data/test.tsv" | paste - "$work/answers" | awk -F'\t' -v name="$name" \
    '$1 == $2 {right++} END {printf "%-44s %.2f %%\n", name, 100 * right / NR}'
}

grade "perceptron" $words --loss perceptron --learner perceptron --penalty none
grade "perceptron, averaged" $words --loss perceptron --learner perceptron --penalty none --average
grade "logistic regression, L2 0.001" $words --loss logistic --alpha 0.001
grade "SVM, L2 0.001" $words --loss hinge --alpha 0.001
for strength in 0.0001 0.001 0.01 0.1 1.0; do
  grade "logistic regression, L1 $strength" $words --loss logistic --penalty l1 --alpha $strength
  grade "SVM (squared hinge), L1 $strength" $words --loss squared_hinge --penalty l1 --alpha $strength
done
grade "what Linnet does by itself"
