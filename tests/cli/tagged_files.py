"""Files of sentences for the tests of commands."""

from pathlib import Path

TEXT = "Robin saw a barn owl near Kettle Marsh. Then\nMay Finch left.\n"


def sentences(text: str) -> list[list[list[str]]]:
    blocks = text.strip().split("\n\n")
    return [[line.split() for line in block.splitlines()] for block in blocks]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def first(path: Path, n: int, folder: Path) -> Path:
    """So many sentences of a file."""
    blocks = path.read_text("utf-8").split("\n\n")[:n]
    return write(folder / "few.conll", "\n\n".join(blocks) + "\n\n")


UD = """# text = A linnet sings.
1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_
2\tlinnet\tlinnet\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3-4\tsings.\t_\t_\t_\t_\t_\t_\t_\t_
3\tsings\tsing\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""
