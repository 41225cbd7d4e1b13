"""Compacting a session: load, compact, commit as one act.

The model is asked without the lock; under it, messages that arrived meanwhile are kept
behind the snapshot. Only a compaction writes to the log; layer 1 never does.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.commands.compacting import Material, job_for
from mewctl.commands.looks import Heard
from mewctl.commands.places import place_of
from mewctl.commands.session.log_state import DryLogState, LogState
from mewctl.commands.session.originals import Originals
from mewctl.compact.survey import Surveyor
from mewctl.errors import Locked
from mewctl.history.formats import mew
from mewctl.history.lens import Lens
from mewctl.session.grouping import form_of
from mewctl.session.lines import Marker
from mewctl.session.meta import load as load_meta
from mewctl.session.reading import LogReader
from mewctl.session.writing import Writer
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.compact.job import Job, Run
    from mewctl.compact.scales import Weights
    from mewctl.compact.survey import Survey
    from mewctl.session.backward import Extent
    from mewctl.session.layout import Layout
    from mewctl.streams.records import Record


#: What is said where automatic compaction is off.
PAUSED = "a compaction was undone: none until the user's next message"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A session's history as it was read: records, survey, and where it stood.

    ``said`` is the newest time that a record names, in Unix seconds. ``spoken``: the
    user spoke after the snapshot that the history begins with.
    """

    layout: Layout
    extent: Extent
    records: tuple[Record, ...]
    seen: Survey
    lens: Lens
    heard: Heard
    said: float | None
    spoken: bool

    @property
    def paused(self) -> bool:
        """Whether automatic compaction is off: one was just taken back."""
        mark = self.extent.mark
        return mark is not None and mark.marker.undoes > 0 and not self.spoken


def load(layout: Layout, report: Report) -> Loaded:
    """Read what a session's history is now. Raises ``StorageError``, ``Unsafe``."""
    from mewctl.history.words import user_words

    heard = Heard(load_meta(layout.meta).model)
    records: list[Record] = []
    surveyor = Surveyor()
    said: float | None = None
    spoken = False
    with LogReader(layout.log) as reader:
        extent = reader.live()
        brought = (extent.mark.marker.messages or 0) if extent.mark else 0
        for record, value in reader.history(extent, report):
            message = mew.view(value)
            surveyor.add(message, len(record.raw))
            heard.note(message)
            records.append(record)
            said = message.time or said
            spoken = spoken or (len(records) > brought and bool(user_words(message)))
    return Loaded(
        layout,
        extent,
        tuple(records),
        surveyor.result(),
        Lens(form_of(records)),
        heard,
        said,
        spoken,
    )


def job_of(loaded: Loaded, options: Mapping[str, Any]) -> Job:
    """The compaction that the options ask for."""
    place = place_of(loaded.layout)
    lang = None if options["lang"] == "auto" else options["lang"]
    kind = DryLogState if options["dry_run"] or options["check"] else LogState

    def state(weights: Weights) -> DryLogState | LogState:
        return kind(place, lang, weights.meter(1.0).text)

    material = Material(
        loaded.records,
        loaded.seen,
        loaded.lens,
        loaded.heard,
        loaded.extent.start,
    )
    return job_for(options, material, state, place, loaded.layout.log)


def commit(loaded: Loaded, job: Job, done: Run, now: float) -> None:
    """Write a compaction into the log: its marker, its snapshot, and what came since.

    Raises ``Locked`` if the history that was compacted is no longer the log's, and
    ``StorageError``; then the log is as it was.
    """
    if done.cut is None:
        return
    span = done.cut.span
    job.state.save(span.boundary, (), done.cut.facts)
    snapshot = _snapshot(loaded, done)
    with Writer(loaded.layout) as writer, writer.locked() as held:
        with LogReader(loaded.layout.log) as reader:
            extent = reader.live()
            if extent.start != loaded.extent.start or extent.end < loaded.extent.end:
                raise Locked(
                    path=loaded.layout.log,
                    what="another history was written meanwhile",
                    remedy="nothing was compacted; run it again",
                )
            arrived = reader.records(loaded.extent.end, extent.end, Report())
            snapshot += [record.raw for record, _ in arrived]
        report = done.report
        marker = Marker(
            time=now,
            id=span.boundary,
            reason=report.trigger,
            messages=len(snapshot),
            tokens_before=report.before,
            tokens_after=report.after,
            provider=report.provider,
        )
        held.append([marker.line(), *snapshot])


def _snapshot(loaded: Loaded, done: Run) -> list[bytes]:
    """The lines of the compacted history, with originals where previews stand.

    A record that stays is the very line it was.
    """
    known: defaultdict[bytes, deque[bytes]] = defaultdict(deque)
    for spilled, origin in zip(done.before, loaded.records, strict=True):
        known[spilled.raw].append(origin.raw)
    originals = Originals(loaded.layout)
    return [
        known[record.raw].popleft()
        if known.get(record.raw)
        else originals.line(record.raw, mew.NAME)
        for record in done.records
    ]
