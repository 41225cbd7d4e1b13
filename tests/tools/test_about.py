"""Files, variables, words and codes: each on the pages that they concern."""

from __future__ import annotations

import pytest

from mewctl import config, errors
from mewctl.commands.help import WORDS
from tests.support.command_tree import NAMES
from tools import about, tree

PAGES = {page.command: page for page in tree.every(tree.root())}


def paths(command: str) -> set[str]:
    return {path for path, _ in about.files(PAGES[command])}


def test_settings_files_concern_all_and_the_spill_directory_those_that_use_it():
    settings = {"~/.config/mewctl/config.toml", "ROOT/.mewcode/config.toml"}
    stores = {"ROOT/.mewcode/spill/", "ROOT/.mewcode/sessions/ID/"}
    assert paths("mewctl tokens") == settings
    for command in ("mewctl", "mewctl spill", "mewctl compact", "mewctl recall"):
        assert paths(command) == {*settings, *stores}


def test_the_settings_files_are_those_that_are_read():
    told = {path.replace("~", "/home/me") for path in paths("mewctl")}
    assert config.user_file({"XDG_CONFIG_HOME": "/home/me/.config"}) in told
    assert config.project_file("ROOT") in paths("mewctl")


def test_a_command_has_the_variables_of_its_options_and_mewctl_those_that_are_shared():
    own = dict(about.variables(PAGES["mewctl spill"]))
    assert own["MEWCTL_SPILL_SINGLE_LIMIT"] == "Sets --single-limit."
    assert own["MEWCTL_ROOT"] == "Sets --root."
    assert "MEWCTL_DEBUG" in own
    shared = {name for name, _ in about.variables(PAGES["mewctl"])}
    assert {"MEWCTL_ROOT", "MEWCTL_WINDOW", "MEWCTL_LANG", "MEWCTL_DEBUG"} <= shared
    one = {f"MEWCTL_{name.replace(' ', '_').upper()}_" for name in NAMES}
    assert not [name for name in shared if name.startswith(tuple(one))]


@pytest.mark.parametrize("command", PAGES)
def test_words_are_explained_on_the_page_of_mewctl_alone(command):
    shown = about.words(PAGES[command])
    assert shown == (list(WORDS.items()) if command == "mewctl" else [])


def test_every_exit_code_is_told():
    assert [int(code) for code, _ in about.codes()] == [int(c) for c in errors.Exit]
