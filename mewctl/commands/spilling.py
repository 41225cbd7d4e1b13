"""What ``spill`` does once there is input: the engine, fed and told of.

Apart from the command's module, because importing this costs more than Click. What only
transcripts, documents and whole histories need is imported when one comes.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.commands.notes import note
from mewctl.commands.options import TRANSCRIPTS, on_bad
from mewctl.commands.places import place_from
from mewctl.errors import StorageError
from mewctl.spill.scan import Elsewhere, scan
from mewctl.spill.spiller import Options, Spiller
from mewctl.spill.vault import Vault
from mewctl.spill.weave import Setting
from mewctl.store.opening import line_counter, position
from mewctl.streams.inputs import STDIN, may_wait
from mewctl.streams.printable import counted
from mewctl.streams.records import read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mewctl.commands.reading import History
    from mewctl.spill.whole import Spilled
    from mewctl.streams.records import Read, Record
    from mewctl.streams.stdio import Output


class Job:
    """One run of the command: a spiller, and where the history goes."""

    def __init__(self, options: Mapping[str, Any], out: Output) -> None:
        self._options = options
        self._out = out
        self._place = place_from(options)
        asked = Options(
            single=options["single_limit"],
            aggregate=options["aggregate_limit"],
            relimit=options["relimit"],
            mode=options["preview"],
            lang=None if options["lang"] == "auto" else options["lang"],
        )
        self._spiller = Spiller(Vault(self._place.spill), asked, note)

    # --- as it comes ---

    def stream(self, first: bytes, read: Read, name: str, path: str) -> None:
        """Spill one input as it comes; ``first`` was read already."""
        blocks = iter([first])
        form = self._options["from_"]

        def again(size: int) -> bytes:
            return next(blocks, None) or read(size)

        if form in TRANSCRIPTS:
            self._elsewhere(again, name)
            return
        try:
            recount = _recount(path, len(first))
            self._scan(again, name, form, recount, may_wait(path))
        except Elsewhere as other:
            self._elsewhere(other.read, name)

    def _scan(
        self,
        read: Read,
        name: str,
        form: str,
        recount: Callable[[int, int], int] | None,
        waits: Callable[[], bool] = lambda: True,
    ) -> None:
        setting = Setting(
            self._out,
            self._spiller,
            note,
            name,
            on_bad(self._options),
            images=self._options["images"],
        )
        scan(read, setting, form, self._options["max_record"], recount, waits)

    def _elsewhere(self, read: Read, name: str) -> None:
        """Spill a transcript, or the messages of one JSON document."""
        from mewctl.commands.reading import Reading, wish_from

        reading = Reading((), wish_from(self._options))
        stream = read_records(read, name, self._options["max_record"])
        pairs = reading.one(stream, name)
        records = (record for record, _ in pairs)
        first = next(records, None)
        if first is not None:
            form = "mew" if reading.is_transcript else "messages"
            self._scan(_reader(chain([first], records)), name, form, None)

    # --- as a whole ---

    def whole(self) -> None:
        """Spill a history that is read to its end first."""
        from mewctl.commands.reading import converted, load_history, wish_from
        from mewctl.spill.whole import Whole

        options = self._options
        history = load_history(options["files"], wish_from(options))
        if options["to"]:
            history = converted(history, options["to"])
        name = " ".join(options["files"]) or "stdin"
        whole = Whole(
            self._spiller, history.lens.format, note, name, images=options["images"]
        )
        records = whole.by_size(history.records).records
        firsts: list[int] = []
        if options["calls"]:
            records = _noted(whole.in_calls(records), firsts)
        if options["keep_recent"] is not None:
            estimate, window = self._scale(history)
            least = min(limits.AGE_MIN_GAIN, window * limits.AGE_MIN_GAIN_SHARE)
            keep = options["keep_recent"]
            records = _noted(whole.by_age(records, keep, least, estimate), firsts)
        for record in records:
            self._out.write(record.raw + b"\n")
        if firsts and not options["quiet"]:
            offset = sum(len(record.raw) + 1 for record in records[: min(firsts)])
            note(f"first changed byte: {offset}; a cache must re-write what follows")

    def _scale(self, history: History) -> tuple[Callable[[str], float], int]:
        """An estimator of tokens, and the window in tokens."""
        from mewctl.tokens.estimator import Estimator
        from mewctl.tokens.windows import family_for, window_for

        model = self._options["model"] or history.reading.model
        family = self._options["family"] or family_for(model)
        window = self._options["window"] or window_for(model) or limits.WINDOW
        return Estimator(family).text, window

    # --- the end ---

    def close(self) -> None:
        """Say what was done. With ``--strict`` raises ``StorageError`` for failures."""
        tally = self._spiller.tally
        if tally.spilled and not self._options["quiet"]:
            bodies = counted(tally.spilled, "body", "bodies")
            size = counted(tally.size, "byte")
            note(f"{bodies} ({size}) moved to {self._place.spill}")
        if tally.failed and self._options["strict"]:
            raise StorageError(
                path=self._place.spill,
                what="not all could be spilled; the rest stays in the history",
                remedy="see the warnings",
            )


def _noted(done: Spilled, firsts: list[int]) -> tuple[Record, ...]:
    """The records; where the first of them changed is put into ``firsts``."""
    if done.first is not None:
        firsts.append(done.first)
    return done.records


def _reader(records: Iterable[Record]) -> Read:
    """Records as a stream of lines, in blocks."""

    def blocks() -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        for record in records:
            lines += (record.raw, b"\n")
            size += len(record.raw) + 1
            if size >= limits.READ_BLOCK:
                yield b"".join(lines)
                lines, size = [], 0
        if lines:
            yield b"".join(lines)

    made = blocks()
    return lambda _: next(made, b"")


def _recount(path: str, taken: int) -> Callable[[int, int], int] | None:
    """What counts an input's lines again, where it is a file; None for a pipe.

    ``taken``: how much of it was read already, in bytes.
    """
    if path != STDIN:
        return line_counter(path)
    return line_counter(0, position(0) - taken)
