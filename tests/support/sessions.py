"""Reading a transcript's file with its reader, without a process."""

from __future__ import annotations

from mewctl import transcripts
from mewctl.streams.records import Record, read_records
from mewctl.transcripts import ReadOptions, Report


def records_of(path):
    """The records of a session; a session object is one."""
    if path.suffix == ".json":
        return iter([Record(path.read_bytes(), 1)])
    with path.open("rb") as file:
        return iter(list(read_records(file.read, path.name)))


def read_file(path, *, full=False, sidechains=False):
    """The messages and the report; the directory's name is the agent's."""
    report = Report()
    reader = transcripts.load(path.parent.name)
    options = ReadOptions(full=full, sidechains=sidechains)
    return list(reader.read(records_of(path), options, report)), report
