"""What the scripts in this folder share: where programs are, and tables in Markdown."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.join(ROOT, "build/release/bench")


def markdown(heads, rows, words=1):
    """The first columns, `words` of them, are aligned left and numbers right."""
    sides = ["---"] * words + ["---:"] * (len(heads) - words)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, sides, *rows])
