"""Sub-agents whose records stand among the main agent's: each told by itself. Pure.

Their rounds follow the round of the main agent in which they began, so that no call is
parted from its result. Must not know an agent's records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.transcripts.telling import rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mewctl.transcripts.telling import Round


def woven(
    main: Iterable[int],
    sides: Mapping[str, Sequence[int]],
    answer: Callable[[int], object],
    is_result: Callable[[int], bool],
) -> Iterator[Round[int]]:
    """The rounds of all agents; items are positions of records in their file.

    ``answer`` and ``is_result`` are those of ``telling.rounds``.
    """
    waiting = sorted(
        (side for side in sides.values() if side), key=lambda side: side[0]
    )
    for one in rounds(main, answer, is_result):
        yield one
        end = max((*one.answers, *one.results, *one.others), default=-1)
        while waiting and waiting[0][0] < end:
            yield from rounds(waiting.pop(0), answer, is_result)
    for side in waiting:
        yield from rounds(side, answer, is_result)
