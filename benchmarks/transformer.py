"""The transformer learner on 600 random targets, in one table (see README.md)."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.table import Table

from attention_queries.reproduce.transformer import DIMS, KINDS, measure, table, targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", type=int, default=20, help="targets for every kind of network and dimension")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tallies = measure(targets(arguments.seed, arguments.targets))
    measured = table(tallies)
    screen = Table(*measured.headings, title=measured.title)
    for row in measured.cells():
        screen.add_row(*row)
    Console().print(screen)
    total = arguments.targets * len(KINDS) * len(DIMS)
    exact, wrong = (sum(getattr(t, name) for t in tallies.values()) for name in ("exact", "wrong"))
    print(f"{total} targets: {exact} exact, {wrong} wrong, {sum(t.seconds for t in tallies.values()):.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
