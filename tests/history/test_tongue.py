"""The language of a text: named where it shows, and not guessed where it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.tongue import NAMES, tongue


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Please fix the upload, it is not what I have asked you for.", "en"),
        ("Bitte mach den Upload neu, das ist nicht gut und die Tests auch.", "de"),
        ("Corrige le téléversement, les tests ne sont pas dans le dossier.", "fr"),
        ("Arregla la subida, las pruebas no están en el directorio por favor.", "es"),
        ("Corrija o upload, os testes não estão na pasta para uma versão.", "pt"),
        (
            "Correggi il caricamento, non è nella cartella che ho detto per una prova.",
            "it",
        ),
        (
            "Herstel het uploaden, de tests zijn niet in deze map en ook niet bij ons.",
            "nl",
        ),
        ("请修复上传功能，测试在夜里总是失败。", "zh"),
        ("アップロードを直してください。テストが失敗します。", "ja"),
        ("업로드를 고쳐 주세요. 테스트가 실패합니다.", "ko"),
        ("Почини загрузку, тесты падают каждую ночь.", "ru"),
        ("Fix `upload`，请修复上传功能，测试在夜里总是失败。", "zh"),
        ("run pytest -q src/app.py", ""),
        ("ok", ""),
        ("", ""),
        ("```\nthe and of is are was this that with for you it\n```", ""),
    ],
)
def test_it_is_named_where_it_shows(text, name):
    assert tongue([text]) == name


def test_all_texts_count_together():
    assert tongue(["ok", "the fix of it", "is not what you have"]) == "en"


@given(st.lists(st.text()))
def test_any_text_has_a_known_language_or_none(texts):
    assert tongue(texts) in {*NAMES, ""}
