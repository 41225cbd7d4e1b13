"""Signals that ask to stop, apart from processes; those are in tests/e2e."""

from __future__ import annotations

import os
import signal

import pytest

from mewctl.errors import Exit
from mewctl.streams import interrupts
from mewctl.streams.interrupts import Block, Interrupts, Stopped, guard_interrupts


@pytest.fixture
def killed(monkeypatch):
    """The signals by which the process would have died."""
    deaths: list[int] = []
    monkeypatch.setattr(signal, "signal", lambda _number, _how: None)
    monkeypatch.setattr(os, "kill", lambda _pid, number: deaths.append(number))
    return deaths


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, Exit.INTERRUPTED),
        (signal.SIGTERM, Exit.TERMINATED),
        (signal.SIGHUP, Exit.HANGUP),
    ],
)
def test_outside_a_block_a_stop_acts_at_once_and_knows_its_exit_code(number, code):
    with pytest.raises(Stopped) as caught:
        Interrupts().handle(number, None)
    assert caught.value.exit_code == code


@pytest.mark.parametrize("for_reader", [False, True])
def test_in_a_block_a_stop_waits_for_the_end_of_the_outermost(for_reader):
    signals = Interrupts()
    block = Block(signals, for_reader=for_reader)
    reached = []
    with pytest.raises(Stopped) as caught, block:  # noqa: PT012 - its end raises
        with block:
            signals.handle(signal.SIGTERM, None)
            reached.append("inner")
        reached.append("outer")
    assert reached == ["inner", "outer"]
    assert caught.value.exit_code == Exit.TERMINATED
    with block:  # and the next one ends as usual
        pass


def test_a_second_stop_kills_what_may_wait_for_a_reader(killed):
    signals = Interrupts()
    with pytest.raises(Stopped), Block(signals, for_reader=True):  # noqa: PT012 - its end raises
        signals.handle(signal.SIGINT, None)
        assert killed == []
        signals.handle(signal.SIGTERM, None)
        assert killed == [signal.SIGTERM]


def test_a_second_stop_does_not_disturb_a_file_but_a_third_kills(killed):
    signals = Interrupts()
    with pytest.raises(Stopped), Block(signals, for_reader=False):  # noqa: PT012 - its end raises
        signals.handle(signal.SIGHUP, None)
        signals.handle(signal.SIGHUP, None)
        assert killed == []
        signals.handle(signal.SIGHUP, None)
        assert killed == [signal.SIGHUP]


def test_a_second_stop_does_not_disturb_the_tidying_up_but_a_third_kills(killed):
    signals = Interrupts()
    with pytest.raises(Stopped):
        signals.handle(signal.SIGHUP, None)
    signals.handle(signal.SIGHUP, None)
    assert killed == []
    signals.handle(signal.SIGHUP, None)
    assert killed == [signal.SIGHUP]


@pytest.mark.parametrize("ignored", [(), (signal.SIGHUP,), interrupts.STOPS])
def test_what_is_ignored_stays_ignored(monkeypatch, ignored):
    usual = {signal.SIGINT: signal.default_int_handler}
    installed: list[int] = []
    monkeypatch.setattr(
        signal,
        "getsignal",
        lambda n: signal.SIG_IGN if n in ignored else usual.get(n, signal.SIG_DFL),
    )
    monkeypatch.setattr(signal, "signal", lambda number, _how: installed.append(number))
    guard_interrupts()
    assert installed == [n for n in interrupts.STOPS if n not in ignored]
