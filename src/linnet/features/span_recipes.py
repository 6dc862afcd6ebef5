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

# The second look: a phrase with its head; two neighbours among children; a head and one child.
HEADED = f"""{SPANS}
# its head
head.tag
head.word
head.tag first.tag[-1] last.tag[+1]
head.word last.tag[+1]
head.word first.tag[-1]
head.word first.word[-1]
head.tag length
head.word last.word[+1]
head.tag before after
head.class first.class[-1]
head.class last.class[+1]
doubt
"""

PAIRS = """
sibling child
sibling child between.tag[-1] between.tag
child between.tag[-1] between.tag
sibling child sibling.head.tag child.head.tag
sibling child sibling.head.word child.head.tag
sibling child sibling.head.tag child.head.word
sibling child sibling.head.word child.head.word
sibling child sibling.head.class child.head.class
sibling child sibling.first.word child.first.word
sibling child sibling.first.tag child.first.tag
sibling child sibling.length child.length
sibling child child.last.tag[+1]
sibling child between.word
sibling child sibling.head.tag between.tag
sibling child sibling.length between.tag
"""

CHILDREN = """
child child.head.tag
child child.head.word
child child.first.tag[-1] child.head.tag
child child.first.word[-1] child.first.word
child child.last.tag child.last.tag[+1]
child child.first.word[-1] child.head.tag
side child
side child head.tag child.head.tag
side child head.word child.head.tag
side child head.tag child.head.word
side child head.word child.head.word
side child head.class child.head.class
side child head.word
side child head.tag distance
side child head.word distance
side child head.tag child.head.tag distance
side child head.word child.first.word
side child head.tag child.last.tag
side child head.tag child.length
side child head.tag child.first.tag[-1]
side child head.tag child.last.tag[+1]
"""

SPAN_RECIPES = {"spans": SPANS}
