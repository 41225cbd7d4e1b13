"""The nine sections of a summary: their headings, order and labels in both languages.

Owns the words of a summary that code writes and code reads back. Must not know facts.
``{}`` in a label stands for a number; a label that is read back must not hold `` — ``,
the separator of an item's text and its notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.history.boundary import SUMMARY_TITLES

if TYPE_CHECKING:
    from mewctl.compact.texts import Lang

COUNT = 9
USERS = 6  # the section of the user's words

TITLE: dict[Lang, str] = {"en": SUMMARY_TITLES[0], "zh": SUMMARY_TITLES[1]}

HEADINGS: dict[Lang, tuple[str, ...]] = {
    "en": (
        "## 1 Main requests and intent",
        "## 2 Key technical concepts",
        "## 3 Files and code",
        "## 4 Errors and fixes",
        "## 5 How problems were solved",
        "## 6 All user messages, verbatim",
        "## 7 Open todos",
        "## 8 Current work (in most detail)",
        "## 9 Possible next step",
    ),
    "zh": (
        "## 1 主要请求和意图",
        "## 2 关键技术概念",
        "## 3 文件和代码段",
        "## 4 错误和修复",
        "## 5 问题解决过程",
        "## 6 所有用户消息原文",
        "## 7 待办任务",
        "## 8 当前工作（最详细）",
        "## 9 可能的下一步",
    ),
}

#: What may follow a summary in its message: the headings of the recovery attachment.
AFTER: tuple[str, ...] = (
    "## Recently read files",
    "## 最近读过的文件",
    "## Tools available now",
    "## 当前可用工具",
    "## Important",
    "## 重要提示",
)


@dataclass(frozen=True, slots=True)
class Words:
    """The labels of one language. Those read back are matched in either language."""

    # the lines before section 1
    intro: str
    boundaries: str
    cwd: str
    prose_by: str
    left_out: str
    counted: str  # kind, number
    facts_file: str
    nothing: str
    omitted: str
    prose: str
    group: str  # name, count
    comma: str  # between the notes behind an item
    between: str  # between two sentences
    # section 1
    first: str
    earlier: str
    newest: str
    same: str
    # notes behind the text of an item
    created: str
    deleted: str
    written: str
    read: str
    message: str
    ran: str
    exit_code: str
    outcomes: tuple[str, str, str]  # passed, failed, unknown
    later: tuple[str, str, str]  # passed, failed, not run again
    # groups
    changed_files: str
    read_files: str
    failures: str
    commands: str
    doing: str
    open: str
    done: str
    last_calls: str
    last_text: str
    # labels of an item's further lines
    why: str
    change: str
    note: str
    fixed_by: str
    since: str
    cut: str
    solved: str
    # section 6
    images: str
    boundary: str
    not_shown: str
    recall: str
    # section 8: what the record ends with
    ends_user: str
    ends_call: str
    ends_result: str
    ends_text: str
    follows: str
    stops_user: str  # what follows below goes on from there
    stops_result: str
    # section 9
    next_follows: str
    next_todo: str
    next_said: str
    next_said_before: str
    asked: str
    unanswered: str
    no_result: str
    no_next: str
    # kinds of things left out
    kinds: tuple[tuple[str, str], ...]


KINDS = (
    "user messages",
    "changed files",
    "read files",
    "failures",
    "commands",
    "todos",
    "calls",
    "excerpts",
    "lines of prose",
)

EN = Words(
    intro=(
        "A record of {} earlier messages, made by mewctl from the transcript: context, "
        "not an instruction. Facts are code's extracts; under “In words” stands prose."
    ),
    boundaries="Boundaries, oldest first: ",
    cwd="Working directory: ",
    prose_by="Prose by ",
    left_out="Left out for lack of room: {}.",
    counted="{} {}",
    facts_file="All facts: {}",
    nothing="(nothing recorded)",
    omitted="(left out for lack of room)",
    prose="### In words",
    group="{} ({}):",
    comma=", ",
    between=" ",
    first="First request: message {}.",
    earlier="The record began with an earlier summary, by the agent:",
    newest="Newest: {}.",
    same="The user's words are in section 6.",
    created="created",
    deleted="deleted",
    written="written {}×",
    read="read {}×",
    message="message {}",
    ran="ran {}×",
    exit_code="exit code {}",
    outcomes=("passed", "failed", "outcome unknown"),
    later=("passed later", "failed again later", "not run again"),
    changed_files="Changed files",
    read_files="Files only read",
    failures="Failures",
    commands="Commands, by their last run",
    doing="In work",
    open="Open",
    done="Done",
    last_calls="Last calls",
    last_text="Last words of the assistant",
    why="why: ",
    change="last change:",
    note="the assistant on it: ",
    fixed_by="file changed in between: ",
    since="in other commands since then: ",
    cut="({} characters not shown)",
    solved="failure {}: a later run passed",
    images="images: {}",
    boundary="boundary ",
    not_shown="Not shown here, for lack of room: {} messages, {} characters",
    recall="; word for word, by boundary: ",
    ends_user="The record ends with the user's message {}; no answer to it is in it.",
    ends_call="The record ends with a call in message {}; no result of it is in it.",
    ends_result=(
        "The record ends with the result of the call in message {}; the assistant has "
        "said nothing after it."
    ),
    ends_text=(
        "The record ends with the assistant's words: no call and no message of the "
        "user is left without an answer."
    ),
    follows="The newest messages follow below, verbatim.",
    stops_user=(
        "This summary stops at the user's message {}; what came of it is in the newest "
        "messages, which follow below, verbatim."
    ),
    stops_result=(
        "This summary stops at the result of the call in message {}; the newest "
        "messages, which go on from there, follow below, verbatim."
    ),
    next_follows=(
        "The messages below are newer than this summary: where they differ, they count."
    ),
    next_todo="Todo in work or next in the list: ",
    next_said="Announced by the assistant in message {}: ",
    next_said_before=(
        "Announced by the assistant in message {}, before the user's newest message: "
    ),
    asked="Asked by the assistant, without an answer in this record: ",
    unanswered="The user's message {} has no answer in this record.",
    no_result="The call in message {} has no result in this record.",
    no_next="The record names no next step.",
    kinds=tuple((kind, kind) for kind in KINDS),
)

ZH = Words(
    intro=(
        "以下是此前 {} 条消息的记录，由 mewctl 根据会话原始记录生成："
        "只供参考，不是指令。事实由代码提取；“文字说明”之下是行文。"
    ),
    boundaries="边界（从旧到新）：",
    cwd="工作目录：",
    prose_by="行文来自：",
    left_out="因篇幅所限未列出：{}。",
    counted="{} {}",
    facts_file="全部事实见：{}",
    nothing="（无记录）",
    omitted="（因篇幅所限未列出）",
    prose="### 文字说明",
    group="{}（{}）：",
    comma="，",
    between="",
    first="最初的请求：消息 {}。",
    earlier="记录以代理此前写的摘要开头：",
    newest="最新的请求：消息 {}。",
    same="用户原文见第 6 节。",
    created="新建",
    deleted="已删除",
    written="写入 {}×",
    read="读取 {}×",
    message="消息 {}",
    ran="运行 {}×",
    exit_code="退出码 {}",
    outcomes=("通过", "失败", "结果未知"),
    later=("后来通过", "后来再次失败", "之后未再运行"),
    changed_files="改动过的文件",
    read_files="只读过的文件",
    failures="失败",
    commands="命令（按最后一次运行）",
    doing="进行中",
    open="未完成",
    done="已完成",
    last_calls="最后的调用",
    last_text="助手最后的话",
    why="原因：",
    change="最后一次改动：",
    note="助手的说明：",
    fixed_by="其间改动的文件：",
    since="此后在其他命令中：",
    cut="（省略 {} 个字符）",
    solved="失败 {}：后来的一次运行通过",
    images="图片：{}",
    boundary="边界 ",
    not_shown="因篇幅所限未列出：{} 条消息，{} 个字符",
    recall="；按边界逐字取回：",
    ends_user="记录止于用户的消息 {}；其中没有对它的答复。",
    ends_call="记录止于消息 {} 中的一次调用；其中没有它的结果。",
    ends_result="记录止于消息 {} 中那次调用的结果；助手其后没有说话。",
    ends_text="记录止于助手的话：没有未得到结果的调用，也没有未得到答复的用户消息。",
    follows="最新的消息原样列在下文。",
    stops_user="本摘要止于用户的消息 {}；其后续见下文原样列出的最新消息。",
    stops_result="本摘要止于消息 {} 中那次调用的结果；后续见下文原样列出的最新消息。",
    next_follows="下文的消息比本摘要更新：有出入时以下文为准。",
    next_todo="进行中或清单上的下一项待办：",
    next_said="助手在消息 {} 中预告：",
    next_said_before="助手在消息 {}（早于用户最新的消息）中预告：",
    asked="助手提出、本记录中尚无答复的问题：",
    unanswered="用户的消息 {} 在本记录中没有答复。",
    no_result="消息 {} 中的调用在本记录中没有结果。",
    no_next="记录中没有提到下一步。",
    kinds=tuple(
        zip(
            KINDS,
            (
                "用户消息",
                "改动过的文件",
                "只读过的文件",
                "失败",
                "命令",
                "待办",
                "调用",
                "摘录",
                "文字说明的行",
            ),
            strict=True,
        )
    ),
)

WORDS: dict[Lang, Words] = {"en": EN, "zh": ZH}

_HEADING = re.compile(r"^#{1,4}\s*([1-9])\s*[.、:：)）]?\s*(.*?)\s*[:：]?\s*$")


def _bare(title: str) -> str:
    """A heading's words, without number, remark in brackets, case and spaces."""
    return re.sub(r"[(（].*?[)）]|\s", "", title).casefold()


_TITLES = {
    (number, _bare(heading.split(" ", 2)[2]))
    for headings in HEADINGS.values()
    for number, heading in enumerate(headings, 1)
}


def heading_number(line: str) -> int:
    """Which section a line opens: 1-9, or 0. Small deviations are allowed."""
    if not line.startswith("#"):
        return 0
    found = _HEADING.match(line)
    if found is None:
        return 0
    number = int(found.group(1))
    return number if (number, _bare(found.group(2))) in _TITLES else 0


def number_in(template: str, text: str) -> int | None:
    """The number at ``{}`` when ``text`` is a filled ``template``."""
    before, _, after = template.partition("{}")
    if not (text.startswith(before) and text.endswith(after)):
        return None
    digits = text[len(before) : len(text) - len(after)]
    return int(digits) if re.fullmatch(r"-?[0-9]{1,18}", digits) else None
