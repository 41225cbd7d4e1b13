"""Looking claims up: as a reader would, and never finding what is not there."""

from __future__ import annotations

import pytest

from mewctl.compact.evidence import Evidence

TEXTS = [
    "user: please fix the FLAKY   upload\nin src/net/upload.py",
    '[call Bash id=a] {"command":"pytest -q \\"tests/net\\""}',
    "[result id=a isError=false] 12,345 passed in 3.5s; C:\\\\x",
]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fix the flaky upload in src", True),
        ("Fix The Flaky", True),
        ('pytest -q "tests/net"', True),
        ("pytest -q 'tests'", False),
        ("please fix everything", False),
    ],
)
def test_words(words, said):
    assert Evidence(TEXTS).says(words) is said


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("src/net/upload.py", True),
        ("./src/net/upload.py", True),
        ("upload.py", True),
        ("/repo/src/net/upload.py", True),
        ("/other/src/net/upload.py", False),
        ("src/net/download.py", False),
        ("tests/net/", True),
    ],
)
def test_paths_from_any_directory_of_the_work(path, named):
    assert Evidence(TEXTS, "/repo").names(path) is named


@pytest.mark.parametrize(
    ("digits", "counted"),
    [
        ("12345", True),
        ("12,345", True),
        ("12_345", True),
        ("1234", False),
        ("3.5", True),
    ],
)
def test_numbers_however_grouped(digits, counted):
    assert Evidence(TEXTS).counts(digits) is counted
