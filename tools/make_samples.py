"""Write the bundled sample data from two small grammars: `python tools/make_samples.py`.

A grammar maps a symbol to its phrasings; a phrasing may name further symbols in braces, and a
capitalised symbol starts a sentence. The same seed writes the same bytes on every machine: only
`Random.random()` is drawn from, the one method whose sequence Python promises to keep.

Every label has phrases of its own, phrases it shares with all, and now and then a phrase of
another label, so that the texts can be told apart, but not perfectly.
"""

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Grammar = Mapping[str, Sequence[str]]

FOLDER = Path(__file__).parents[1] / "src" / "linnet" / "data" / "samples"
SYMBOL = re.compile(r"\{(\w+)\}")
SHARED = "any"  # the entry of a grammar's labels that holds the phrases common to all
SEED = 1758  # the year in which the linnet got its Latin name

BIRD_NOTES: Grammar = {
    "note": [
        "{When}, {look} {deed} {place}.",
        "{When}, {look} {deed} {place}. It {voice}.",
        "{Look} {deed} {place} and {voice}.",
        "{Look} {place}, {when}. It {deed} and {voice}.",
        "{Place}, {look} {deed}. {Aside}",
        "Heard it before I saw it: something {voice} {place}. Then {look} {deed}.",
        "{Look} {deed}, then {voice}. {Aside}",
        "{When} something {voice} {place}. {Aside}",
        "{Aside} It {deed} {place} and {voice}.",
    ],
    "when": [
        "just after dawn",
        "towards evening",
        "in the first warm hour of the day",
        "after the rain",
        "in thin mist",
        "around noon",
        "on a windless morning",
        "before breakfast",
        "as the light went",
        "on the way home",
        "between two showers",
        "late in {month}",
        "early in {month}",
    ],
    "month": ["March", "April", "May", "June", "July", "September", "October"],
    "aside": [
        "My tea went cold, and I did not mind.",
        "Gone before I found my pencil.",
        "Nobody else looked up.",
        "The dog saw it first.",
        "A good start to the list.",
        "Watched it for {minutes} minutes.",
        "Second one this week.",
        "No doubt about it this time.",
        "Too far off for a photograph.",
        "I drew it badly, but I drew it.",
        "The children counted to {minutes} and it was still there.",
    ],
    "minutes": ["two", "five", "ten", "twenty"],
}

BIRDS: Mapping[str, Grammar] = {
    SHARED: {
        "look": [
            "a brown bird",
            "a single bird",
            "a bird I could not see well",
            "a bird with a pale breast",
            "a dark shape",
            "a lone bird against the light",
            "one of a pair",
        ],
        "voice": [
            "called once",
            "called twice and fell silent",
            "sang for a while",
            "answered another of its kind",
            "called so softly that I almost missed it",
            "gave a short alarm",
        ],
        "deed": [
            "flew off",
            "preened",
            "looked about",
            "was feeding",
            "settled again",
            "carried something to its nest",
            "turned its head",
        ],
        "place": [
            "near the path",
            "by the old wall",
            "at the edge of the wood",
            "behind the farm",
            "beside the water",
            "over the field",
            "in the big tree",
        ],
    },
    "linnet": {
        "look": [
            "a slim brown finch with a crimson breast",
            "a finch with a raspberry-red forehead",
            "a chestnut-backed finch with white in the wing",
            "a streaky finch out of a twittering flock",
            "a rosy-breasted finch",
        ],
        "voice": [
            "twittered a light, musical song",
            "warbled fast and sweetly with little twangs",
            "chattered in flight, dry and cheerful",
            "sang a hurried, fluting twitter",
        ],
        "deed": [
            "picked at thistle seed",
            "bounded away in dancing flight",
            "perched on the topmost sprig",
            "nibbled dandelion and flax seed",
            "rose and dropped with the flock",
        ],
        "place": [
            "on top of the gorse",
            "on the heath among the whins",
            "over the stubble and the weedy fallow",
            "along the bramble hedge by the flax field",
        ],
    },
    "wren": {
        "look": [
            "a tiny round bird with a cocked tail",
            "a thumb-sized brown ball with a barred tail",
            "a tiny barred bird with a pale eyebrow",
            "the smallest brown bird of the garden, tail upright",
        ],
        "voice": [
            "sang far too loudly for its size, with a trill in the middle",
            "rattled a hard trill at full volume",
            "ticked angrily like a wound clock",
            "burst into a shrill, explosive song",
        ],
        "deed": [
            "crept like a mouse through the roots",
            "whirred low from log to log",
            "bobbed and flicked its upright tail",
            "hunted spiders between the stones",
            "slipped into a crack",
        ],
        "place": [
            "under the ivy",
            "low in the wood pile",
            "among the ferns by the ditch",
            "in the bottom of the bramble hedge",
        ],
    },
    "heron": {
        "look": [
            "a tall grey bird with a dagger of a bill",
            "a long-legged grey figure with a black plume",
            "a grey bird as tall as a child",
            "a huge grey bird with bowed wings and folded neck",
        ],
        "voice": [
            "croaked a harsh, single fraank",
            "gave a rough, grating croak",
            "clattered its bill at the nest",
            "croaked hoarsely as it left",
        ],
        "deed": [
            "stood on one leg like a post",
            "stalked slowly through the shallows",
            "speared an eel",
            "swallowed a frog whole",
            "flapped off on slow, bowed wings",
        ],
        "place": [
            "in the reeds of the mill pond",
            "at the weir",
            "knee-deep in the shallows",
            "on the mudbank by the sluice",
        ],
    },
    "owl": {
        "look": [
            "a pale ghost with a heart-shaped face",
            "a round-headed bird with great dark eyes",
            "a broad-winged bird, white as flour below",
            "a mottled brown bird with a round face",
        ],
        "voice": [
            "hooted, long and quavering",
            "shrieked once in the dark",
            "hissed and snored from the beam",
            "hooted softly and was answered with a sharp kewick",
        ],
        "deed": [
            "drifted by on silent wings",
            "dropped on a vole",
            "coughed up a pellet of fur and bones",
            "blinked slowly, one eye at a time",
            "quartered the meadow by moonlight",
        ],
        "place": [
            "in the rafters of the barn",
            "in a hollow oak",
            "on the church tower under the moon",
            "on a fence post in the dusk",
        ],
    },
    "magpie": {
        "look": [
            "a black and white bird with a long, glossy tail",
            "a pied bird shot with green and purple",
            "a long-tailed bird in a white waistcoat",
            "one for sorrow, black and white and glossy",
        ],
        "voice": [
            "cackled like a wooden rattle",
            "chattered harshly, a machine of a voice",
            "scolded the cat with a hard chack-chack",
            "rattled and cackled at everyone",
        ],
        "deed": [
            "strutted about like a landlord",
            "turned over the leaves for beetles",
            "stole the bread from a crow",
            "hopped sideways round the cat",
            "carried off a bright bottle top",
        ],
        "place": [
            "on the lawn of the vicarage",
            "on the chimney pots",
            "by the bins behind the bakery",
            "at the domed nest in the thorn tree",
        ],
    },
    "swift": {
        "look": [
            "a sooty bird with wings like a sickle",
            "a black crescent, all wing",
            "a dark anchor of a bird with a forked tail",
            "one of a party of sickle-winged birds",
        ],
        "voice": [
            "screamed thin and high",
            "shrieked in a screaming party",
            "gave a shrill, drawn-out scream on the wing",
            "screamed round the roofs",
        ],
        "deed": [
            "raced round the steeple without landing",
            "hawked for insects high up",
            "scythed through the air without one wingbeat",
            "shot under the eaves into its hole",
            "slept, I am told, on the wing",
        ],
        "place": [
            "high above the town",
            "between the roofs of the old street",
            "over the church tower",
            "under the tiles of the station",
        ],
    },
}

SKY_LINES: Grammar = {
    "note": [
        "{First}, {second}.",
        "{First}, {second}. {Third}.",
        "{First}. {Third}.",
    ],
    "hour": ["at dawn", "by evening", "through the night", "at noon", "after sunset"],
    "land": ["the hills", "the valley", "the fields", "the sea", "the moor", "the shore"],
    "side": ["west", "north", "east", "south"],
}

SKIES: Mapping[str, Grammar] = {
    SHARED: {
        "first": [
            "the wind turns to the {side} {hour}",
            "rain comes in over {land}",
            "the clouds are moving over {land}",
            "the sun is bright on {land} {hour}",
            "it is cold {hour}",
            "snow is falling on {land}",
        ],
        "second": [
            "and the rain goes by {hour}",
            "with a light wind from the {side}",
            "and the sky over {land} is clear",
            "and mist lies on {land} {hour}",
            "while the cloud breaks {hour}",
        ],
        "third": [
            "{hour} the stars are out over {land}",
            "the wind falls {hour}",
            "the morning is grey over {land}",
            "there is frost on {land} {hour}",
            "tomorrow is warm again",
        ],
    },
    "poem": {
        "first": [
            "o lark, you {stitch} the morning to the blue",
            "the {weather} leans on {land} like a tired {friend}",
            "my heart is a {friend} that the wind has forgotten",
            "I know who taught the {weather} to sing so {softly}",
            "I would give you the {weather}, folded small, to keep",
            "once more the {weather} walks barefoot over {land}",
            "no bell, no voice, only a lark {hour}",
        ],
        "second": [
            "and every {weather} remembers your name",
            "and I, who loved the {weather}, say nothing",
            "as if {land} were a {friend} dreaming",
            "and silence {stitches} its silver over {land}",
            "till the old moon, that {friend}, lets down her hair",
        ],
        "third": [
            "sing, little {friend}, for {land} will sleep no more",
            "so {softly} goes the year, so {softly} go we",
            "the {weather} knows nothing of longing",
            "let me be the {weather} and you the lark",
            "the night pours {softly} into my hands",
        ],
        "stitch": ["stitch", "bind", "lift", "sing"],
        "stitches": ["stitches", "spills", "breathes", "lays"],
        "friend": ["traveller", "child", "lantern", "psalm", "shepherd", "lover"],
        "softly": ["softly", "sweetly", "late", "wildly", "lightly"],
        "weather": ["rain", "wind", "snow", "cloud", "frost", "sunlight", "mist"],
    },
    "weather": {
        "first": [
            "{wet} will spread from the {side}, reaching {land} {hour}",
            "a band of {wet} clears slowly to the {side}",
            "high pressure to the {side} keeps {land} mostly dry",
            "winds {force}, gusting to {speed} miles an hour over {land}",
            "temperatures near {degrees} degrees, a little above average",
            "a ridge builds from the {side} {hour}",
            "cloudy at first, with {wet} over {land}",
        ],
        "second": [
            "with a risk of {wet} later",
            "turning brighter from the {side} {hour}",
            "with highs of {degrees} degrees expected",
            "with winds {force} near {land}",
            "while {wet} dies out {hour}",
        ],
        "third": [
            "visibility moderate to good",
            "the outlook for {day} is unsettled, with {wet} at times",
            "lows of {degrees} degrees are likely {hour}",
            "a yellow warning for {wet} is in force until {day}",
            "pressure is falling slowly, with {force} winds to follow",
        ],
        "wet": ["drizzle", "patchy rain", "heavy showers", "sleet", "freezing fog", "sea mist"],
        "force": ["light to moderate", "fresh to strong", "variable", "south-westerly"],
        "speed": ["thirty", "forty", "fifty", "sixty"],
        "degrees": ["two", "five", "nine", "twelve", "seventeen", "twenty-one"],
        "day": ["Monday", "Wednesday", "Friday", "Sunday"],
    },
}


def expand(grammar: Grammar, symbol: str, rng: random.Random) -> str:
    """Rewrite the symbol until no symbol is left."""

    def rewrite(match: re.Match[str]) -> str:
        name = match[1]
        text = expand(grammar, name.lower(), rng)
        return text[0].upper() + text[1:] if name[0].isupper() else text

    return SYMBOL.sub(rewrite, _pick(rng, grammar[symbol]))


def _pick(rng: random.Random, items: Sequence[str]) -> str:
    return items[int(rng.random() * len(items))]


def draw(
    frame: Grammar, labels: Mapping[str, Grammar], shared: float, astray: float, rng: random.Random
) -> str:
    """Draw one line `label<TAB>text`.

    Each kind of phrase comes from the common ones with probability `shared`, from a label drawn
    blindly with probability `astray`, and else from the line's own label.
    """
    names = [name for name in labels if name != SHARED]
    label = _pick(rng, names)
    grammar: dict[str, Sequence[str]] = dict(frame)
    for name in names:  # the helper symbols of every label
        grammar.update(labels[name])
    for kind in labels[SHARED]:
        chance = rng.random()
        source = SHARED if chance < shared else label
        if shared <= chance < shared + astray:
            source = _pick(rng, names)
        grammar[kind] = labels[source][kind]
    return f"{label}\t{expand(grammar, 'note', rng)}\n"


def distinct(
    size: int,
    frame: Grammar,
    labels: Mapping[str, Grammar],
    shared: float,
    astray: float,
    rng: random.Random,
) -> list[str]:
    """Draw lines until `size` different texts are there."""
    lines: dict[str, str] = {}  # text: line
    while len(lines) < size:
        line = draw(frame, labels, shared, astray, rng)
        lines.setdefault(line.partition("\t")[2], line)
    return list(lines.values())


def render() -> dict[str, str]:
    """Return the contents of every sample file by its name."""
    birds = distinct(1600, BIRD_NOTES, BIRDS, 0.25, 0.08, random.Random(SEED))
    verse = distinct(800, SKY_LINES, SKIES, 0.2, 0.06, random.Random(SEED + 1))
    return {
        "birds-train.tsv": "".join(birds[:1200]),
        "birds-test.tsv": "".join(birds[1200:]),
        "verse-train.tsv": "".join(verse[:600]),
        "verse-test.tsv": "".join(verse[600:]),
    }


if __name__ == "__main__":
    for file, text in render().items():
        (FOLDER / file).write_text(text, encoding="utf-8", newline="\n")
