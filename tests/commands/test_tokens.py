"""``tokens``: the report and its options, and a command below a command."""

from __future__ import annotations

import json
import sys

import pytest

from mewctl import cli
from mewctl.compact.policy import Numbers
from mewctl.errors import Exit

USER = {"role": "user", "content": "Why do the tests fail? 为什么？"}
CALL = {
    "role": "assistant",
    "content": "I look.",
    "model": "claude-opus-4-8",
    "tool_calls": [{"id": "c1", "name": "bash", "input": {"command": "make"}}],
}
RESULT = {
    "role": "tool",
    "tool_results": [{"tool_call_id": "c1", "content": "a line of the log\n" * 9_000}],
}
HISTORY = [USER, CALL, RESULT]

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def tokens(capfdbinary):
    """Run ``mewctl tokens``: exit code, output, words on stderr."""

    def run(*args):
        code = cli.run(["tokens", *map(str, args)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode()

    return run


@pytest.fixture
def save(tmp_path):
    """Write records to a file; its path."""

    def write(records, name="history.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return path

    return write


@pytest.fixture
def history(save):
    return save(HISTORY)


@pytest.fixture
def report(tokens):
    def run(*args):
        code, out, err = tokens(*args)
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


# --- what the report says ---


def test_the_report_has_classes_tools_items_and_what_spilling_frees(report, history):
    found = report(history)
    assert found["method"] == "estimate"
    assert found["family"] == "claude-4.7-and-later"
    assert set(found["classes"]) == {
        *("system", "user", "assistant", "thinking"),
        *("tool_calls", "tool_results", "images"),
    }
    assert sum(found["classes"].values()) == pytest.approx(found["tokens"], abs=3)
    assert found["tools"]["bash"] > 0.9 * found["tokens"]
    assert found["biggest"][0]["tool"] == "bash"
    assert found["spill"]["results"] == 1
    assert found["spill"]["frees_tokens"] > 20_000
    assert found["age_spill"]["results"] == 0
    assert found["bytes"] == history.stat().st_size
    assert found["to_threshold"] == found["threshold"] - found["cautious"]
    assert "messages" not in found


def test_every_message_has_a_line_on_request(report, history):
    lines = report("--messages", history)["messages"]
    assert [line["role"] for line in lines] == ["user", "assistant", "tool"]
    assert [line["message"] for line in lines] == [1, 2, 3]


def test_old_results_that_would_be_spilled_for_their_age_are_counted(report, save):
    calls = []
    for n in range(30):
        text = f"line {n} of the log\n" * 1_000
        calls += [
            {**CALL, "tool_calls": [{**CALL["tool_calls"][0], "id": f"c{n}"}]},
            {
                "role": "tool",
                "tool_results": [{"tool_call_id": f"c{n}", "content": text}],
            },
        ]
    found = report(save([USER, *calls]))
    assert found["spill"]["results"] == 0
    assert 0 < found["age_spill"]["results"] < 30
    assert found["age_spill"]["frees_tokens"] > 20_000


@pytest.mark.parametrize(("count", "named"), [(0, 0), (2, 2), (100, 4)])
def test_as_many_items_are_named_as_was_asked(report, history, count, named):
    assert len(report("--biggest", count, history)["biggest"]) == named


def test_the_family_follows_the_model_unless_it_is_named(report, history):
    families = {
        (): "claude-4.7-and-later",
        ("--model", "claude-sonnet-4-5"): "claude-3-to-4.6",
        ("--model", "gpt-5"): "openai-o200k",
        ("--model", "gpt-5", "--family", "qwen3"): "qwen3",
    }
    sizes = set()
    for args, family in families.items():
        found = report(*args, history)
        assert found["family"] == family
        sizes.add(found["tokens"])
    assert len(sizes) == 4


def test_chinese_is_not_counted_by_its_bytes(report, save):
    text = "这是一个关于上下文工程的测试文本。" * 100
    assert report("--text", save([], "none"))["tokens"] == 0
    path = save([])
    path.write_text(text)
    assert report("--text", path)["tokens"] > 1.1 * len(text.encode()) / 3.5


def test_usage_is_an_anchor_and_two_pairs_calibrate(report, save):
    def turn(context):
        return {
            "role": "assistant",
            "content": "word " * 2_000,
            "usage": {"input": context, "output": 0},
        }

    found = report(save([USER, turn(10_000), turn(14_000), turn(18_000), USER]))
    assert found["anchor"] == {"tokens": 18_000, "messages": 4, "source": "usage"}
    assert found["ratio"] == pytest.approx(1.32, abs=0.05)
    given = report("--anchor", "48000:3", save(HISTORY))
    assert given["anchor"] == {"tokens": 48_000, "messages": 3, "source": "given"}
    assert given["tokens"] == 48_000


def test_an_anchor_that_is_none_is_a_usage_error(tokens, history):
    code, out, err = tokens("--anchor", "many", history)
    assert (code, out) == (Exit.USAGE, b"")
    assert "not TOKENS:MESSAGES" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--window", "20k"), "reach the threshold of"),
        (("--max-bytes", "1k"), "bytes exceed 1000"),
    ],
)
def test_check_is_exit_1_over_a_limit_and_0_below(tokens, history, args, words):
    code, out, err = tokens("--check", *args, history)
    assert code == Exit.NO
    assert words in err
    assert json.loads(out)["type"] == "tokens"
    assert tokens("--check", history)[0] == Exit.DONE


def test_an_estimate_that_equals_the_threshold_is_over_it(tokens, history):
    found = json.loads(tokens(history)[1])
    at = found["cautious"]
    window = next(w for w in range(at, 2 * at) if Numbers(window=w).threshold() == at)
    assert tokens("--check", "--window", window, history)[0] == Exit.NO
    assert tokens("--check", "--window", window + 2, history)[0] == Exit.DONE


def test_the_table_shows_classes_tools_and_items(tokens, history):
    code, out, err = tokens("--format", "table", history)
    text = out.decode()
    assert (code, err) == (0, "")
    assert "tool_results" in text
    assert "spill would free" in text
    assert max(map(len, text.splitlines())) <= 80
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


def test_secrets_are_masked_in_the_beginnings_of_items(tokens, save):
    key = "ghp_" + "a1B2" * 9
    path = save([{"role": "user", "content": f"my key is {key}"}])
    for form in ("jsonl", "table"):
        assert key not in tokens("--format", form, path)[1].decode()
    assert key in tokens("--no-redact", path)[1].decode()


# --- a command below a command ---


def test_the_word_timeline_calls_the_command_and_a_path_the_file(
    tokens, save, monkeypatch
):
    path = save(HISTORY, "timeline")
    monkeypatch.chdir(path.parent)
    assert b'"type":"timeline"' in tokens("timeline", path)[1]
    for words in (["./timeline"], ["--", "timeline"], ["--messages", "timeline"]):
        code, out, _ = tokens(*words)
        assert code == 0
        assert json.loads(out)["type"] == "tokens"


def test_help_of_tokens_names_the_command_below_it(tokens):
    code, out, _ = tokens("--help")
    assert code == 0
    assert "timeline  Show how the context grew" in out.decode()
    assert "--html" not in out.decode()
    assert "--html" in tokens("timeline", "--help")[1].decode()


def settings(project, text):
    (project / ".mewcode").mkdir(exist_ok=True)
    (project / ".mewcode" / "config.toml").write_text(text)


def test_each_of_both_has_a_table_of_settings(report, tokens, history, project):
    settings(project, "[tokens]\nbiggest = 1\n[tokens.timeline]\nbiggest = 2\n")
    assert len(report(history)["biggest"]) == 1
    lines = tokens("timeline", history)[1].splitlines()
    assert sum(b'"type":"item"' in line for line in lines) == 2
    code = cli.run(["config", "show", "--format", "jsonl"])
    assert code == 0


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[tokens]\nbigest = 1\n", "tokens.bigest"),
        ("[tokens.timeline]\nbigest = 1\n", "tokens.timeline.bigest"),
        ("[tokens.timelin]\nbiggest = 1\n", "tokens.timelin"),
        ("[tokens.biggest]\nx = 1\n", "tokens.biggest"),
    ],
)
def test_an_unknown_key_in_either_table_is_configuration(
    tokens, history, project, text, key
):
    settings(project, text)
    words = ["timeline"] if "timeline." in key else []
    code, out, err = tokens(*words, history)
    assert (code, out) == (Exit.CONFIG, b"")
    assert f"unknown key {key}" in err
    assert cli.run(["config", "show"]) == Exit.CONFIG


def test_a_variable_of_one_is_none_of_the_other(report, tokens, history, monkeypatch):
    monkeypatch.setenv("MEWCTL_TOKENS_BIGGEST", "1")
    assert len(report(history)["biggest"]) == 1
    assert tokens("timeline", history)[1].count(b'"type":"item"') == 4
