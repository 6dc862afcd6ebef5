"""Edit scripts: how a lemma is made of a form, said so that it fits other forms, too.

A script is what is cut off in front and at the end and put there instead, and how letters are cased:
``l/0+/1+`` is "in lower case, without the last letter", ``k/0+/0+`` "as it is". It is read off a form
and its lemma around their longest common substring, in lower case. Where they share nothing the script
is the lemma itself, ``=go``.

Cases, of which the first that fits is taken: ``l`` lower, ``k`` as in the form (what is added in lower
case), ``c`` a capital first, ``u`` upper, ``^0.6`` upper at these places.
"""

from __future__ import annotations

import re

WHOLE = "="  # the script of a lemma that shares nothing with its form begins so
LONGEST = 200  # characters of a form whose longest common substring is looked for
PATTERN = re.compile(
    r"([lkcu]|\^\d{1,6}(?:\.\d{1,6})*)/(\d{1,9})\+([^/]*)/(\d{1,9})\+([^/]*)", re.DOTALL
)


def edit_script(form: str, lemma: str) -> str:
    """The script that makes ``lemma`` of ``form``.

    >>> edit_script("Ponies", "pony"), edit_script("NATO", "NATO"), edit_script("went", "go")
    ('l/0+/3+y', 'k/0+/0+', '=go')
    """
    low, wanted = lower(form), lower(lemma)
    if low == wanted:
        begin = at = 0
        size = len(low)
    elif max(len(low), len(wanted)) > LONGEST:
        return WHOLE + lemma
    else:
        begin, at, size = _longest_common(low, wanted)
    if not size:
        return WHOLE + lemma
    front, back = wanted[:at], wanted[at + size :]
    edit = f"/{begin}+{_escaped(front)}/{len(form) - begin - size}+{_escaped(back)}"
    places = ".".join(str(k) for k, (a, b) in enumerate(zip(lemma, wanted, strict=True)) if a != b)
    cases = ("l", "k", "c", "u", *([f"^{places}"] if places else []))
    for case in cases:
        if apply_script(case + edit, form) == lemma:
            return case + edit
    return WHOLE + lemma  # letters whose lower case has another upper one


def _longest_common(a: str, b: str) -> tuple[int, int, int]:
    """Where the longest common substring begins in both, the first if there are several; its length."""
    for size in range(min(len(a), len(b)), 0, -1):  # forms and lemmas share much: few are tried
        for begin in range(len(a) - size + 1):
            at = b.find(a[begin : begin + size])
            if at >= 0:
                return begin, at, size
    return 0, 0, 0


def apply_script(script: str, form: str) -> str | None:
    """What it makes of a form; None if the form is too short for it, or it is no script."""
    if script.startswith(WHOLE):
        return script[1:]
    match = PATTERN.fullmatch(script)
    if match is None:
        return None
    case, begin, end = match[1], int(match[2]), len(form) - int(match[4])
    front, back = _unescaped(match[3]), _unescaped(match[5])
    if begin > end:
        return None
    if case == "k":
        return front + form[begin:end] + back
    made = front + lower(form)[begin:end] + back
    if case == "l":
        return made
    if case == "c":
        return upper(made[:1]) + made[1:]
    if case == "u":
        return upper(made)
    high = {int(k) for k in case[1:].split(".")}
    return "".join(upper(c) if k in high else c for k, c in enumerate(made))


def lower(text: str) -> str:
    """In lower case, where a letter stays one letter."""
    if text.isascii():
        return text.lower()
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


def upper(text: str) -> str:
    """In upper case, where a letter stays one letter."""
    if text.isascii():
        return text.upper()
    return "".join(high if len(high := c.upper()) == 1 else c for c in text)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("/", "%2F")


def _unescaped(text: str) -> str:
    return text.replace("%2F", "/").replace("%25", "%")
