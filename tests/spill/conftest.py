"""Shared by the tests of spill: a place for bodies, and each message format."""

from __future__ import annotations

import pytest
from spilling import FORMATS


@pytest.fixture(params=FORMATS)
def form(request):
    """Each message format."""
    return request.param


@pytest.fixture
def place(tmp_path):
    """A spill directory that is not there yet."""
    return tmp_path / "spill"
