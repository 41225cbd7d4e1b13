from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.store.names import clash_names, safe_name, stem


@pytest.mark.parametrize(
    "identity", ["toolu_01AbC-9", "a", "-rf", "x" * 64, "h-1", "call_0"]
)
def test_harmless_ids_name_their_files_themselves(identity):
    assert safe_name(identity) == identity


# S1 and rows 37, 38 of the list of bad inputs
@pytest.mark.parametrize(
    "identity",
    [
        "../../etc/cron.d/x", "/etc/passwd", "a/b", "", ".", "..", "a.b", "a b", "a\0b",
        "x" * 65, "x" * 10_000, "é", "a\n", "\ud800", "a:b", "trailing.", "~",
        "CON", "con", "nul", "Aux", "PRN", "com1", "LPT9", "dropped", "DROPPED",
    ],
)  # fmt: skip
def test_any_other_id_is_hashed(identity):
    raw = identity.encode("utf-8", "surrogatepass")
    assert safe_name(identity) == "h-" + sha256(raw).hexdigest()[:32]


@given(st.text())
def test_a_safe_name_is_a_name_and_stays_what_it_is(identity):
    name = safe_name(identity)
    assert 0 < len(name) <= 64
    assert not set(name) & set("/\\.\0 ")
    assert safe_name(name) == name


def test_names_for_other_bytes_begin_with_the_name_and_their_hash():
    digest = sha256(b"other").hexdigest()
    assert clash_names("call_1", digest) == (f"call_1.{digest[:8]}", f"call_1.{digest}")


@pytest.mark.parametrize("file", ["call_1", "call_1.0a1b2c3d", "call_1.0a1b2c3d.png"])
def test_the_stem_is_the_safe_name(file):
    assert stem(file) == "call_1"
