"""`python -m tests.quality.report`: what learning finds in the labelled set, by half, language and group.

With `--faults`, what is wrong in the `seen` half too. What is wrong in the `held` half is not shown: rules are not
mended by it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.quality.scoring import MEASURES, Labelled, Scores, by, rows, score


def _line(name: str, of: Sequence[Labelled], scores: Scores) -> str:
    cells = []
    for measure in MEASURES:
        tally = scores.tallies[measure]
        for value in (tally.precision, tally.recall):
            cells.append("    -" if value is None else f"{value:5.3f}")
    return f"{name:<14}{len(of):>5}  " + "  ".join(cells)


def main() -> None:
    every = rows()
    print(f"{'':<14}{'rows':>5}  " + "  ".join(f"{measure:<12}" for measure in MEASURES))
    print(f"{'':<19}  " + "  ".join("prec   rec  " for _ in MEASURES))
    for half in ("seen", "held"):
        of = [row for row in every if row.half == half]
        print(_line(half, of, score(of)))
    print(_line("all", every, score(every)))
    for key in ("language", "group"):
        print()
        for half in ("seen", "held"):
            for name, of in by([row for row in every if row.half == half], key):
                print(_line(f"{half} {name}", of, score(of)))
    if "--faults" in sys.argv[1:]:
        print("\nWrong in the seen half:")
        for fault in score([row for row in every if row.half == "seen"]).faults:
            print(" ", fault)


if __name__ == "__main__":
    main()
