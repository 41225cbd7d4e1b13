"""Where a compaction keeps things: the spill directory or session, on this disk.

The shell's side of ``compact.options.State``: paths, files and the ledger.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl.commands.notes import note
from mewctl.compact.options import Spilled
from mewctl.errors import MewError
from mewctl.history.facts import Facts, from_json
from mewctl.store.files import replace
from mewctl.store.gitignore import ensure_store_above
from mewctl.store.opening import read_blocks
from mewctl.streams.jsonvalue import BadJSON, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mewctl.commands.places import Place
    from mewctl.compact.options import Records
    from mewctl.compact.texts import Lang
    from mewctl.history.lens import Lens
    from mewctl.spill.vault import Vault
    from mewctl.spill.whole import Spilled as Changed
    from mewctl.spill.whole import Whole
    from mewctl.streams.records import Record


class DiskState:
    """State in ``spill`` (bodies and ledger) and ``dropped`` (boundaries).

    ``flags`` is how a command line names the place. ``lang`` None: the user's.
    ``estimate`` gives the tokens of a text. ``dry``: nothing is written.
    """

    dry = False

    def __init__(
        self,
        place: Place,
        lang: Lang | None,
        estimate: Callable[[str], float],
    ) -> None:
        self._place = place
        self._lang = lang
        self._estimate = estimate
        self._facts: dict[str, Facts | None] = {}

    # --- layer 1 ---

    def spill(self, records: Records, lens: Lens) -> Spilled:
        """Apply the size limits. Never fails: what cannot leave stays."""
        return self._spilled(records, lens, lambda whole: whole.by_size(records))

    def age_spill(self, records: Records, lens: Lens, keep: int, least: int) -> Spilled:
        """Spill results older than the newest ``keep`` tokens of tool output."""
        return self._spilled(
            records,
            lens,
            lambda whole: whole.by_age(records, keep, least, self._estimate),
        )

    def spill_from(self, records: Records, lens: Lens, start: int) -> Spilled:
        """Spill every result of the records from ``start`` on that can shrink."""
        return self._spilled(
            records, lens, lambda whole: whole.from_record(records, start)
        )

    def _spilled(
        self, records: Records, lens: Lens, act: Callable[[Whole], Changed]
    ) -> Spilled:
        # Layer 1 is slow to load, and a manual run has none.
        from mewctl.spill.spiller import Options, Spiller
        from mewctl.spill.vault import Vault
        from mewctl.spill.whole import Whole

        warnings: list[str] = []
        options = Options(lang=self._lang, dry=self.dry)
        try:
            before = Vault(self._place.spill)
            before.ledger.refresh()
            spiller = Spiller(Vault(self._place.spill), options, warnings.append)
            done = act(Whole(spiller, lens.format, warnings.append))
        except MewError as error:
            return Spilled(records, warnings=(*warnings, str(error)))
        fresh = (
            at
            for at, record in enumerate(done.records)
            if record is not records[at] and not _sent(before, records[at], lens)
        )
        return Spilled(done.records, done.ids, frozenset(fresh), tuple(warnings))

    # --- boundaries ---

    def facts(self, boundary: str) -> Facts | None:
        """The facts of an earlier compaction; None if they are not there."""
        if boundary not in self._facts:
            self._facts[boundary] = self._read_facts(boundary)
        return self._facts[boundary]

    def _read_facts(self, boundary: str) -> Facts | None:
        path = self.facts_address(boundary)
        if not os.path.exists(path):
            return None
        try:
            return from_json(loads(b"".join(read_blocks(path))))
        except (MewError, BadJSON, ValueError) as error:
            note(f"{path}: {error}; the summary's text is read instead")
            return None

    def address(self, boundary: str) -> str:
        """The path of a boundary's dropped records."""
        from mewctl.spill.dropped import address

        return address(self._place.dropped, boundary)

    def facts_address(self, boundary: str) -> str:
        """The path of a boundary's facts."""
        return os.path.join(self._place.dropped, f"{boundary}.facts.json")

    def recall_command(self, boundary: str) -> str:
        """The command that brings a boundary's records back."""
        return (
            f"mewctl recall --boundary {boundary} {self._place.flags}"
            if boundary
            else ""
        )

    def save(self, boundary: str, dropped: Iterable[bytes], facts: bytes) -> None:
        """Write lines and facts, on the disk when this returns.

        Raises ``StorageError``.
        """
        from mewctl.spill.dropped import save

        ensure_store_above(self._place.dropped)
        save(self._place.dropped, boundary, dropped)
        replace(self.facts_address(boundary), facts)


def _sent(before: Vault, record: Record, lens: Lens) -> bool:
    """Whether results of a record had left it by the decisions ``before``."""
    from mewctl.spill.spiller import piece_of

    results = lens.view(record.mapping()).results
    found = (before.find(piece_of(result), "all") for result in results)
    return any(place is not None and place.entry.replaced for place in found)


class DryState(DiskState):
    """The same without a trace: nothing is written."""

    dry = True

    def save(self, boundary: str, dropped: Iterable[bytes], facts: bytes) -> None:
        """Leave everything as it is."""
