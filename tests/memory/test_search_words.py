from __future__ import annotations

import pytest

from mewctl.memory.search_words import fold, holds, question, terms


def meets(asked: str, said: str) -> bool:
    """Whether any word of a question is among the words of a note."""
    body = terms("", said).body
    return any(
        term in body or (term[-1] == "*" and any(t.startswith(term[:-1]) for t in body))
        for alternatives in question(asked).words
        for term in alternatives
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("retaining", "sessions are retained for 30 days"),
        ("connection", "it connects at once"),
        ("user's keys", "a key of users"),
        ("Häuser", "das rote Haus steht an der Ecke"),
        ("Haeuser", "das rote Haus steht an der Ecke"),
        ("Strasse", "in der Straße ist es laut und die Nachbarn sind alt"),
        ("Prüfungen", "nach der Prüfung ist vor der Prüfung"),
        ("chevaux", "le cheval est dans la prairie"),
        ("configuraciones", "la configuración de los servidores está en el archivo"),
        ("cafe", "there is a café"),
        ("ＦＵＬＬ", "a full disk"),
    ],
)
def test_a_word_meets_its_other_forms(asked, said):
    assert meets(asked, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [("university", "universal"), ("news", "new"), ("Haus", "der Hausmeister ist da")],
)
def test_another_word_is_not_met(asked, said):
    assert not meets(asked, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("数据库", "测试数据库使用PostgreSQL"),
        ("备份", "每晚备份一次"),
        ("猫", "黒猫がいる"),
        ("猫", "三匹の猫"),
        ("東京", "来週は東京都に行く"),
        ("カメラ", "新しいカメラを買った"),
        ("ｶﾒﾗ", "新しいカメラを買った"),
        ("백업", "데이터베이스를 백업한다"),
        ("데이터베이스", "데이터베이스를 백업한다"),
        ("PostgreSQL", "测试数据库使用PostgreSQL，每晚备份"),
        ("使用", "使用Python3写的"),
    ],
)
def test_chinese_japanese_and_korean_are_met_within_a_run(asked, said):
    assert meets(asked, said)


@pytest.mark.parametrize(("asked", "said"), [("数字", "数据库"), ("猫", "犬がいる")])
def test_other_characters_are_not_met(asked, said):
    assert not meets(asked, said)


def test_a_question_asks_for_pairs_and_for_a_character_alone_by_its_beginning():
    assert question("数据库").words == (("数据",), ("据库",))
    assert question("猫").words == (("猫*",),)
    assert terms("", "数据库").body == ("数据", "据库", "库")


def test_words_that_say_nothing_are_no_terms():
    assert question("what is the").words == ()
    assert terms("", "it was not the one of them that is").body == ("one",)
    assert terms("", "I don't and I’ve").body == ()
    assert terms("", "der die das und nicht von mir").body == ()


def test_a_word_of_a_question_has_a_stem_of_each_language():
    assert question("limits").words == (("limit", "limit·de", "limit·fr", "limits·es"),)


def test_a_told_language_goes_before_the_words():
    assert terms("", "Fehlers Fehlern", lang="de").body == ("fehl·de", "fehl·de")
    assert terms("", "Fehlers Fehlern").body == ("fehler", "fehlern")
    assert terms("", "running", lang="xx").body == ("run",)


@pytest.mark.parametrize(
    ("name", "whole", "parts"),
    [
        ("verifyChecksum", "verifychecksum", ("verifi", "checksum")),
        ("verify_checksum", "verifychecksum", ("verifi", "checksum")),
        ("verify-checksum", "verifychecksum", ("verifi", "checksum")),
        ("HTTPServer", "httpserver", ("http", "server")),
        ("SINGLE_LIMIT", "singlelimit", ("singl", "limit")),
        ("sha256", "sha256", ("sha", "256")),
        ("3.11.7", "3·11·7", ("3", "11", "7")),
        ("__init__", "init", ("init",)),
        ("os.path.join", "os·path·join", ("os", "path", "join")),
    ],
)
def test_an_identifier_is_kept_whole_and_split(name, whole, parts):
    found = terms("", name)
    assert found.names == (whole,)
    assert found.body == parts
    assert whole in question(name).names


def test_the_places_of_a_path_are_names_too():
    found = terms("", "see mewctl/session/retention.py::keep_last")
    assert found.names == (
        "mewctl·session·retention·py·keeplast",
        "retention·py",
        "keeplast",
    )


@pytest.mark.parametrize("text", ["word", "Word", "8080", "two words", "数据库", "_"])
def test_a_plain_word_is_no_identifier(text):
    assert terms("", text).names == ()


def test_a_plain_word_of_a_question_may_be_meant_for_a_name():
    assert question("where is filenotfounderror").names == ("filenotfounderror",)
    assert terms("", "FileNotFoundError").names == ("filenotfounderror",)


def test_tags_count_as_the_title_and_known_names_are_found():
    found = terms("Tests", "", tags=("lint",), known_as=("a1b2c3d4", "run-tests"))
    assert found.title == ("test", "lint")
    assert found.names == ("a1b2c3d4", "runtests")


def test_the_day_a_note_was_made_is_among_its_dates():
    assert "y2026m5d8" in terms("t", "b", created="2026-05-08T10:00:00Z").dates
    assert terms("t", "b").dates == ()


def test_a_phrase_is_what_stands_in_quotation_marks_else_everything():
    assert question('find "exact  Phrase" and 「正確な」').phrases == (
        "exact phrase",
        "正確な",
    )
    assert question("Never use pip").phrases == ("never use pip",)
    assert question("   ").phrases == ()


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("to be or not to be", "not to", True),
        ("concatenate cat", "cat", True),
        ("concatenate", "cat", False),
        ("cats", "cat", False),
        ("scat", "cat", False),
        ("a (cat)", "cat", True),
        ("a (cat)", "(cat)", True),
        ("测试数据库", "数据", True),
        ("pg数据库", "数据", True),
    ],
)
def test_a_phrase_begins_and_ends_where_words_do(text, phrase, found):
    assert holds(fold(text), phrase) is found
