"""Label bias: a local model cannot take back what it has decided, whatever it reads next.

The states of a small automaton read "The robot wheels are round" (these wheels are round) and
"The robot wheels Fred round" (it wheels him about). After "wheels" each state has one successor.
"""

from linnet import CRF, MEMM

WHEELS = ["The", "robot", "wheels", "are", "round"]
FRED = ["The", "robot", "wheels", "Fred", "round"]
COMPOUND = ["the:D", "robot:N", "wheels:N", "are:V", "round:A"]
CARRIES = ["the:D", "robot:N", "wheels:V", "Fred:N", "round:R"]
AUTOMATON = {
    "the:D": ["robot:N"],
    "robot:N": ["wheels:N", "wheels:V"],
    "wheels:N": ["are:V"],
    "are:V": ["round:A"],
    "wheels:V": ["Fred:N"],
    "Fred:N": ["round:R"],
    "round:A": [],
    "round:R": [],
}

# Three robots with round wheels, one that wheels Fred round.
X, y = [WHEELS] * 3 + [FRED], [COMPOUND] * 3 + [CARRIES]
for name, kind in (("MEMM", MEMM), ("CRF", CRF)):
    model = kind(features=["word"], transitions=AUTOMATON, C=10.0).fit(X, y)
    print(f"{name}:  log P of the path with the noun, and with the verb, 'wheels'")
    for sentence in (WHEELS, FRED):
        noun, verb = model.sequence_log_proba([sentence] * 2, [COMPOUND, CARRIES])
        best = "noun" if model.predict([sentence])[0] == COMPOUND else "verb"
        print(f"  {' '.join(sentence):<28}{noun:8.4f}{verb:8.4f}   so {best}")
