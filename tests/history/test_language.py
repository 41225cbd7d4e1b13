from __future__ import annotations

import pytest

from mewctl.history.language import detect


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        ([], "en"),
        (["", "   ", "`code`"], "en"),
        (["fix the tests"], "en"),
        (["修好测试"], "zh"),
        (["幫我檢查一下 go.mod 裡面 為何 go版本是 1.24?"], "zh"),
        (["请看 https://example.com/some/long/path/with/words?and=more 的说明"], "zh"),
        (
            ["为什么失败？\n```\nError: the whole thing failed to build again\n```"],
            "zh",
        ),
        (["报错：\nFAIL src/a.go:12:3 undefined: foo (exit 1)\nFAIL b.go:9"], "zh"),
        (["把 src/main/app.py 和 config_file_name 改成 utf_8"], "zh"),
        (["please show 你好 as the title of the page"], "en"),
        (["テストを直してください"], "en"),
        (["漢字だけではない文章です"], "en"),
        (["테스트를 고쳐 주세요"], "en"),
        (["繼續", "yes please go on", "繼續", "好"], "zh"),
        (["繼續", "yes please go on", "and the other one"], "en"),
        (["1234 5678", "好的"], "zh"),
    ],
)
def test_the_users_sentences_decide(texts: list[str], language: str) -> None:
    assert detect(texts) == language


def test_a_long_word_costs_no_more_than_its_length() -> None:
    assert detect(["a" * 1_000_000, "a.b_" * 100_000]) == "en"
