"""Searches of small stores, in several languages, from files to hits."""

from __future__ import annotations

import os

import pytest
from searching import LATER, cache_of, found, put, store_at

from mewctl.memory.search import Wish, search
from mewctl.memory.search_fusion import Lending

NOTES = {
    "retention": ("How long sessions are kept", "session clean keeps the last 20."),
    "limits": ("Spill limits", "SINGLE_LIMIT is 50000 bytes, see mewctl/limits.py"),
    "checksum": ("Uploads", "verifyChecksum runs before upload_file returns."),
    "uv": ("Package manager", "Never use pip; uv it is. We decided on 8 May 2026."),
    "zh": ("数据库备份", "测试数据库使用PostgreSQL，每晚两点备份到对象存储。"),
    "zh-style": ("代码风格", "函数名使用蛇形命名，注释写中文。"),
    "ja": ("猫の世話", "黒猫の餌は朝と夜に用意する。カメラで見守る。"),
    "ja-deploy": ("デプロイ手順", "本番環境へのデプロイは金曜日を避けること。"),
    "ko": (
        "데이터베이스 백업",
        "데이터베이스를 매일 밤 백업하고 결과를 메일로 보낸다.",
    ),
    "ko-test": ("테스트 실행", "테스트는 병렬로 실행하지 않는다."),
    "de": ("Häuser", "Die Häuser in der Straße sind nicht alle geprüft worden."),
    "de-fehler": (
        "Fehlersuche",
        "Das Protokoll der Fehler liegt unter dem Ordner log.",
    ),
}


@pytest.fixture
def store(tmp_path):
    made = store_at(tmp_path)
    for name, (title, body) in NOTES.items():
        put(made, name, title, body)
    return made


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("how long do we keep a session", "retention"),
        ("keeping sessions", "retention"),
        ("SINGLE_LIMIT", "limits"),
        ("singleLimit", "limits"),
        ("single limit", "limits"),
        ("limits.py", "limits"),
        ("mewctl/limits.py", "limits"),
        ("verify_checksum", "checksum"),
        ("checksum verification", "checksum"),
        ("uploadFile", "checksum"),
        ("uploadfile", "checksum"),
        ("2026-05-08", "uv"),
        ("what did we decide in May 2026?", "uv"),
        ("2026年5月8日", "uv"),
        ('"never use pip"', "uv"),
        ("id-retention", "retention"),
        ("zh-style", "zh-style"),
        ("数据库", "zh"),
        ("备份数据库的时间", "zh"),
        ("postgresql", "zh"),
        ("命名", "zh-style"),
        ("注释用什么语言写", "zh-style"),
        ("猫", "ja"),
        ("餌", "ja"),
        ("ｶﾒﾗ", "ja"),
        ("本番のデプロイ", "ja-deploy"),
        ("金曜日", "ja-deploy"),
        ("백업", "ko"),
        ("데이터베이스", "ko"),
        ("병렬 실행", "ko-test"),
        ("das Haus", "de"),
        ("Haeuser", "de"),
        ("geprüfte Strassen", "de"),
        ("Wo liegen die Fehlers Protokolle?", "de-fehler"),
    ],
)
def test_the_note_that_is_meant_comes_first(store, asked, best):
    assert found(store, asked=asked)[0] == best


@pytest.mark.parametrize(
    "asked",
    ["", "  ", "?!", "what is the", "news", "葡萄", "zzz_top", "🙂"],
)
def test_nothing_is_found_where_nothing_is_meant(store, asked):
    assert found(store, asked=asked) == []


@pytest.mark.parametrize(
    "asked", ['a" OR "b', "title:x", "NEAR(a b)", "*", "a*", "'; DROP TABLE note", "\0"]
)
def test_a_question_is_text_never_a_language_of_queries(store, asked):
    found(store, asked=asked)
    assert found(store, asked="postgresql") == ["zh"]


def test_words_of_a_phrase_are_found_in_any_order_but_a_quoted_one_as_it_stands(store):
    (hit, *_) = search([store], '"never use pip"', Wish(), LATER).hits
    assert hit.arms["phrase"] > 0
    (hit, *_) = search([store], "pip never used", Wish(), LATER).hits
    assert hit.note.id == "id-uv"
    assert "phrase" not in hit.arms


def test_a_note_is_found_by_the_day_it_was_made(tmp_path):
    store = store_at(tmp_path)
    for day in ("07", "08"):
        put(store, f"d{day}", "Same", created=f"2026-05-{day}T10:00:00Z")
    assert found(store, asked="notes of 8 May 2026")[0] == "d08"
    assert found(store, asked="2026年5月7日")[0] == "d07"


def test_a_language_that_a_note_names_is_the_one_it_is_read_in(tmp_path):
    store = store_at(tmp_path)
    put(store, "told", "Häuser", lang="de")
    put(store, "untold", "Häuser")
    assert found(store, asked="Haus") == ["told"]


def test_words_that_say_nothing_are_found_as_a_phrase(tmp_path):
    store = store_at(tmp_path)
    put(store, "play", "Hamlet", "To be, or not to be.")
    put(store, "other", "Other", "It is not to be done or said.")
    assert found(store, asked="or not to be") == ["play"]


def test_a_word_of_the_title_counts_more(tmp_path):
    store = store_at(tmp_path)
    put(store, "a", "Other things", "cache words here")
    put(store, "b", "Cache things", "other words here")
    assert found(store, asked="cache") == ["b", "a"]


def test_what_is_equally_good_is_ordered_by_level_and_file(tmp_path):
    project, user = store_at(tmp_path / "p"), store_at(tmp_path / "u", "user")
    for store, names in ((project, "cab"), (user, "dab")):
        for name in names:
            put(store, name, "Same words")
    assert found(project, user, asked="words") == ["a", "b", "c", "a", "b", "d"]
    assert found(project, user, asked="words", top=4) == ["a", "b", "c", "a"]


def test_a_small_store_counts_as_much_as_a_large_one(tmp_path):
    project, user = store_at(tmp_path / "p"), store_at(tmp_path / "u", "user")
    for number in range(40):
        put(project, f"n{number}", f"Thing {number}", "editor words of a longer note")
    put(user, "mine", "My editor", "vim")
    assert found(project, user, asked="which editor")[0] == "mine"


def test_notes_of_one_session_lend_each_other_a_little(tmp_path):
    store = store_at(tmp_path)
    day = "2026-05-0{}T00:00:00Z"
    for number, (name, text) in enumerate(
        [("q", "Where did the trip to Rome go?"), ("a", "It was lovely."), ("z", "Bye")]
    ):
        created = day.format(number + 1)
        put(store, name, "x", text, source_session="s1", created=created)
    put(store, "far", "x", "It was lovely.", source_session="s2")
    assert found(store, asked="Rome") == ["q", "a"]
    assert found(store, asked="Rome", lending=None) == ["q"]
    assert found(store, asked="lovely", lending=Lending(0, 0)) == ["a", "far"]
    (_, lent) = search([store], "Rome", Wish(), LATER).hits
    assert set(lent.arms) == {"neighbours"}


def test_a_type_leaves_out_others_but_not_what_they_lend(tmp_path):
    store = store_at(tmp_path)
    put(store, "a", "Editor", type="user_preference")
    put(store, "b", "Editor")
    assert found(store, asked="editor", type="user_preference") == ["a"]
    assert found(store, asked="editor", type="correction_feedback") == []


def test_a_search_says_how_many_more_there_are(store):
    some = search([store], "数据库 session limit checksum", Wish(top=1), LATER)
    assert len(some.hits) == 1
    assert some.more == len(found(store, asked="数据库 session limit checksum")) - 1 > 0


def test_what_waits_for_approval_or_cannot_be_read_is_told_and_not_found(tmp_path):
    store = store_at(tmp_path)
    put(store, "tool", "Injected words", source="tool")
    put(store, "bad", "x").write_bytes(b"words \xff")
    result = search([store], "words", Wish(), LATER)
    assert result.hits == ()
    assert [(file, why.partition(" ")[0]) for _, file, why in result.unread] == [
        ("project_knowledge_bad.md", "not"),
        ("project_knowledge_tool.md", "rests"),
    ]
    put(store, "tool", "Injected words", source="tool", approved=True)
    assert found(store, asked="words") == ["tool"]


def test_names_and_texts_that_are_no_unicode_are_searched(tmp_path):
    store = store_at(tmp_path / os.fsdecode(b"caf\xe9"))
    path = put(
        store, "x", "Half \ud83d words", created="\ud800", source_session="\ud801"
    )
    path.rename(path.with_name(os.fsdecode(b"project_knowledge_\xff.md")))
    for _ in range(2):
        assert found(store, asked="half \ud800 words") == ["\udcff"]
    put(store, "bad", "x").write_bytes(b"\xff")
    assert found(store, asked="words") == ["\udcff"]


def test_a_damaged_note_is_found_by_its_text(tmp_path):
    store = store_at(tmp_path)
    put(store, "x", "x").write_text("---\nid: [\nbroken words\n", encoding="utf-8")
    assert found(store, asked="broken") == ["x"]


def test_a_note_that_goes_during_the_search_is_left_out(store, monkeypatch):
    from mewctl.memory import search as module

    ranked = module._ranked  # noqa: SLF001 - the moment between ranking and reading

    def slow(*args):
        answer = ranked(*args)
        put(store, "zh", "x").unlink()
        return answer

    monkeypatch.setattr(module, "_ranked", slow)
    assert found(store, asked="postgresql") == []


def test_searching_writes_nothing_but_the_cache(store):
    before = {p: p.read_bytes() for p in cache_of(store).parent.parent.rglob("*.md")}
    found(store, asked="数据库")
    root = cache_of(store).parent.parent
    after = {p for p in root.rglob("*") if p.is_file()}
    assert {p: p.read_bytes() for p in before} == before
    assert after - set(before) == {cache_of(store), root / ".gitignore"}
