"""A session's history with the previews that its ledger knows. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.commands.notes import note
from mewctl.errors import MewError
from mewctl.session.grouping import form_of
from mewctl.spill.spiller import Options, Spiller
from mewctl.spill.vault import Vault
from mewctl.spill.whole import Whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.session.layout import Layout
    from mewctl.session.reading import Pair


def spilled(layout: Layout, pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The records with previews for what was spilled before."""
    records = [record for record, _ in pairs]
    try:
        spiller = Spiller(Vault(layout.spill), Options(dry=True, replay=True), note)
        done = Whole(spiller, form_of(records), note).by_size(records)
    except MewError as error:
        note(f"{error}; the originals are shown")
        yield from pairs
        return
    for (record, value), made in zip(pairs, done.records, strict=True):
        yield (record, value) if made is record else (made, made.mapping())
