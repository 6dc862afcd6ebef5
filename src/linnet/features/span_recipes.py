"""Templates of spans that are known to do well, by name.

Counts name the tags of the Penn treebank and those of Universal Dependencies; with other tags they say
nothing, and do no harm.
"""

from __future__ import annotations

COORDINATED = "CC CCONJ"
COMMAS = ", PUNCT"
PREPOSITIONS = "IN ADP"
FINITE = "VBD VBZ VBP MD AUX"
RELATIVES = "WDT WP WP$ WRB"

_CC, _COMMAS = f"count2({COORDINATED})", f"count3({COMMAS})"
_FINITE, _FINITE_2 = f"count3({FINITE})", f"count2({FINITE})"

SPANS = f"""
# the begin
first.tag
first.word
first.tag[-1]
first.word[-1]
first.tag[-1] first.tag
first.tag first.tag[+1]
first.word first.tag[+1]
first.tag[-1] first.word
first.word[-1] first.tag
first.tag[-2] first.tag[-1]
first.tag first.tag[+1] first.tag[+2]
first.tag[-2] first.tag[-1] first.tag
first.class[-1] first.class
first.word first.word[+1]
# the end
last.tag
last.word
last.tag[+1]
last.word[+1]
last.tag last.tag[+1]
last.tag[-1] last.tag
last.word last.tag[+1]
last.tag last.word[+1]
last.word[-1] last.tag
last.tag[+1] last.tag[+2]
last.tag[-2] last.tag[-1] last.tag
last.tag last.tag[+1] last.tag[+2]
last.class last.class[+1]
last.word last.word[+1]
# both
length
length first.tag
length last.tag
length last.tag[+1]
length first.tag last.tag
first.tag last.tag
first.word last.tag
first.tag last.word
first.word last.word
first.class last.class
first.tag[-1] last.tag[+1]
first.word[-1] last.tag[+1]
first.tag[-1] last.word[+1]
first.class[-1] last.class[+1]
first.tag[-1] first.tag last.tag last.tag[+1]
first.tag last.tag last.tag[+1]
first.tag[-1] first.tag last.tag
first.tag[-1] first.tag last.tag[+1]
first.tag[-1] last.tag last.tag[+1]
first.tag first.tag[+1] last.tag
first.tag last.tag[-1] last.tag
tags
tags first.tag[-1]
tags last.tag[+1]
# one word
single first.word
single first.word[-1] first.word
single first.word first.word[+1]
single first.tag[-1] first.tag first.tag[+1]
single first.tag[-1] first.word first.tag[+1]
# what is inside
several {_CC} {_COMMAS}
several {_FINITE} count3({PREPOSITIONS})
several {_FINITE} first.tag
several {_COMMAS} first.tag[-1] last.tag[+1]
several count2(``) count2('') count1(:)
several {_CC} first.tag last.tag
several {_FINITE} count2({RELATIVES}) count2(TO PART)
several {_FINITE_2} first.tag[-1] last.tag[+1]
"""

SPAN_RECIPES = {"spans": SPANS}
