"""A walk through the bundled sample data."""

from collections import Counter

from linnet.data import samples

for name in samples.NAMES:
    texts, labels = samples.load(name)
    print(f"{name}: {len(texts)} lines, {dict(sorted(Counter(labels).items()))}")
    for text, label in list(zip(texts, labels, strict=True))[:3]:
        print(f"  {label:8} {text}")
