"""Names of tools and of their arguments, for the supported agents. Data only.

Names are compared without case, ``_``, ``-`` and server prefixes: to us
``mcp__fs__read_file`` and ``ReadFile`` are one name. Sources: the tool lists of Claude
Code, Codex, Gemini CLI, pi, opencode, OpenHands, SWE-agent, Kimi CLI and Kimi Code,
Qwen Code, goose, Cline, Roo, Cursor and Copilot.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

#: What a tool is for. ``editor``: its ``command`` argument says which. ``poll``: asks
#: for more output of a running command. ``task``: one item of a todo list.
Use: TypeAlias = Literal[
    "read", "write", "edit", "patch", "delete", "move", "run", "poll", "search",
    "todo", "new task", "set task", "list tasks", "editor", "other",
]  # fmt: skip

_BY_USE: dict[Use, str] = {
    "read": """read readfile readtextfile viewfile view cat openfile notebookread
        fsread readmediafile readlines readmanyfiles open viewimage""",
    "write": """write writefile writetofile createfile create savefile newfile
        fswrite""",
    "edit": """edit editfile multiedit replace strreplace strreplacefile replaceinfile
        replacestringinfile multireplacestringinfile notebookedit insert
        inserteditintofile editnotebook smartedit updatefile searchreplace
        editexistingfile""",
    "patch": "applypatch patch applydiff applyunifieddiff",
    "delete": "delete deletefile removefile rm unlink",
    "move": "move movefile renamefile rename mv",
    "run": """bash shell localshell localshellcall execcommand exec runshellcommand
        executebash executecommand runcommand runterminalcmd runterminalcommand
        runinterminal terminal shellcommand containerexec executeipythoncell ipython
        python powershell pwsh command cmd run runcode bashcommand runipython""",
    "poll": """writestdin taskoutput bashoutput getterminaloutput readbash
        readbackgroundoutput commandstatus writebash stopbash readpowershell
        writepowershell stoppowershell""",
    "search": """grep glob ripgrep search searchfiles searchfilecontent grepsearch
        filesearch codebasesearch find findfiles findfilebyname websearch
        googlewebsearch webfetch fetch ls list listdir listdirectory listfiles
        readfolder rg searchdir searchfile findfile filemap searchweb fetchurl
        webread browse browseinteractive""",
    "todo": """todowrite updateplan writetodos settodolist todolist managetodolist
        tasktracker tasktracking todo updatetodolist updatetodo""",
    "new task": "taskcreate",
    "set task": "taskupdate",
    "list tasks": "tasklist",
    "editor": """strreplaceeditor strreplacebasededittool texteditor fileeditor
        planningfileeditor""",
    "other": """task agent think finish skill taskget tasknotification taskstop submit
        delegate reportintent askuser askuserquestion exitplanmode storememory
        savememory""",
}

#: The use of every known tool, by its bare name.
USES: dict[str, Use] = {
    name: use for use, names in _BY_USE.items() for name in names.split()
}

#: What the ``command`` argument of an editor does.
EDITOR_COMMANDS: dict[str, Use] = {
    "view": "read",
    "create": "write",
    "write": "write",
    "str_replace": "edit",
    "insert": "edit",
    "undo_edit": "edit",
}

#: Tools whose results carry line numbers with a tab, by their name as it is written.
NUMBERED = frozenset(
    ("Read", "view", "str_replace_editor", "str_replace_based_edit_tool", "file_editor")
)

# Argument keys, bare, the more telling first.
PATH_KEYS = (
    "filepath", "path", "filename", "absolutepath", "notebookpath", "targetfile",
    "file", "relativepath", "relativeworkspacepath", "source", "src", "oldpath",
)  # fmt: skip
PATHS_KEYS = ("paths", "files", "filepaths")
TO_KEYS = ("destination", "dest", "dst", "newpath", "targetpath", "to", "newname")
COMMAND_KEYS = ("command", "cmd", "commandline", "script", "code", "commands")
CWD_KEYS = ("workdir", "cwd", "workingdirectory", "workingdir", "directory", "dirpath")
CONTENT_KEYS = (
    "content", "filetext", "contents", "newcontent", "filecontent", "text", "fulltext",
)  # fmt: skip
OLD_KEYS = ("oldstring", "oldstr", "oldtext", "old", "search", "oldcontent", "find")
NEW_KEYS = (
    "newstring", "newstr", "newtext", "new", "replacement", "newsource", "codeedit",
    "replace", "inserttext", "insert",
)  # fmt: skip
DIFF_KEYS = ("patch", "patchtext", "diff")
PATCH_KEYS = (*DIFF_KEYS, "input")
FIRST_KEYS = ("offset", "startline", "lineoffset", "start", "startlineoneindexed")
LAST_KEYS = ("endline", "end", "endlineoneindexedinclusive")
COUNT_KEYS = ("limit", "nlines", "numlines", "maxlines")
RANGE_KEYS = ("viewrange", "linerange")
SEARCH_KEYS = ("pattern", "query", "regex", "glob", "url", "searchterm")
TITLE_KEYS = ("title", "subject", "description", "skill", "message", "prompt", "name")
LIST_KEYS = ("todos", "plan", "todolist", "tasklist", "tasks", "items")
POLL_KEYS = ("sessionid", "taskid", "bashid", "shellid", "id")

# What is left to go by for an unknown name with a path: words in it.
HINTS: tuple[tuple[Use, tuple[str, ...]], ...] = (
    ("delete", ("delete", "remove", "unlink")),
    ("move", ("move", "rename")),
    ("search", ("list", "search", "find", "grep", "glob", "tree", "directory")),
    ("read", ("read", "view", "open", "cat", "show", "get")),
    ("write", ("write", "create", "save")),
)
