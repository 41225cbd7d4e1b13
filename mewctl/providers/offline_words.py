"""The few words that offline prose puts around its extracts, in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mewctl.compact.texts import Lang


@dataclass(frozen=True, slots=True)
class Labels:
    """The words around extracts; ``{}`` are filled in order."""

    quote: str
    first: str
    newest: str
    after: str
    focus: str
    languages: str
    programs: str
    names: str
    changed: str
    commits: str
    reasons: str
    failures: str
    unsolved: str
    times: str
    todos: str
    since: str
    before: str
    asked: str
    earlier: str
    comma: str


LABELS: dict[Lang, Labels] = {
    "en": Labels(
        quote="- “{}” (message {})",
        first="It began with: “{}” (message {})",
        newest="The newest request in this record: “{}” (message {})",
        after="  said after the assistant's: “{}” (message {})",
        focus="To be kept in sight, as asked with this compaction: “{}”",
        languages="Languages: {}",
        programs="Programs run: {}",
        names="Names that come up often: {}",
        changed="The assistant on changed files ({}):",
        commits="Committed, by the messages:",
        reasons="The assistant on problems and what was done:",
        failures="{} of {} failures passed in a later run.",
        unsolved="Not seen to pass since: {}",
        times="{} messages of the user, {} to {}.",
        todos="{} of {} todos are done; in work or open: {}",
        since="Since the user's “{}” (message {}) the assistant said:",
        before="Before that:",
        asked="The user: “{}” (message {}). The assistant:",
        earlier="Earlier prose, by {}:",
        comma=", ",
    ),
    "zh": Labels(
        quote="- “{}”（消息 {}）",
        first="开始时的请求：“{}”（消息 {}）",
        newest="本记录中最新的请求：“{}”（消息 {}）",
        after="  此前助手说：“{}”（消息 {}）",
        focus="本次压缩要求保持关注：“{}”",
        languages="语言：{}",
        programs="运行过的程序：{}",
        names="常出现的名称：{}",
        changed="助手对改动文件（{}）的说明：",
        commits="已提交（按提交说明）：",
        reasons="助手对问题和做法的说明：",
        failures="{} 个失败在后来的运行中通过（共 {} 个）。",
        unsolved="此后未见通过：{}",
        times="用户消息 {} 条，{} 至 {}。",
        todos="{} 项待办已完成（共 {} 项）；进行中或未完成：{}",
        since="自用户的“{}”（消息 {}）以来，助手说：",
        before="在那之前：",
        asked="用户：“{}”（消息 {}）。助手：",
        earlier="此前的行文（来自 {}）：",
        comma="、",
    ),
}
