"""Trees that attack: nothing from outside is read, nothing hangs, kinds are told."""

from __future__ import annotations

import os
import socket

import pytest
from instructing import CANARY


def includes(*paths):
    """A project whose own file includes ``paths``."""
    return lambda project: project.main(*(f"@include {path}" for path in paths))


def linked(target, path="link.md"):
    """A link in the project that leads to ``target``."""

    def build(project):
        project.link("link.md", str(target))
        includes(path)(project)

    return build


def sibling(project):
    project.put("../project-evil/x.md", CANARY)
    includes("../project-evil/x.md")(project)


def absolute(project):
    includes(project.outside / "secret.md")(project)


def chain_of_links(project):
    project.link("b.md", "../outside/secret.md")
    project.link("a.md", "b.md")
    includes("a.md")(project)


def directory_link(project):
    project.link("docs", "../outside")
    includes("docs/secret.md")(project)


def absolute_directory_link(project):
    project.link("docs", str(project.outside))
    includes("docs/secret.md")(project)


def deep_directory_link(project):
    project.link("a/b/c", "../../../outside")
    includes("a/b/c/secret.md")(project)


def up_through_a_link(project):
    project.put("../outside/deep/x.md", CANARY)
    project.put("a/x.md", "fine")
    project.link("a/in", "../a")
    includes("a/in/../../../outside/secret.md")(project)


def link_out_and_back(project):
    project.put("../outside/back.md", CANARY)
    project.link("out", "../outside")
    includes("out/../outside/back.md")(project)


def link_to_the_root_above(project):
    project.link("up", "..")
    includes("up/outside/secret.md")(project)


def layer_link(project):
    project.link("MEWCODE.md", "../outside/secret.md")


def local_layer_link(project):
    project.link(".mewcode", "../outside")
    project.put("../outside/MEWCODE.md", CANARY)


def loop(project):
    project.link("a.md", "b.md")
    project.link("b.md", "a.md")
    includes("a.md")(project)


def self_loop(project):
    project.link("a", "a")
    includes("a/b.md")(project)


def fifo(project):
    os.mkfifo(project.root / "pipe.md")
    includes("pipe.md")(project)


def fifo_layer(project):
    os.mkfifo(project.root / "MEWCODE.md")


def a_socket(project):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("sock.md")
    includes("sock.md")(project)


def sparse(project):
    with project.put("big.md", b"x" * 600).open("r+b") as file:
        file.truncate(5 * 10**9)
    includes("big.md")(project)


def sparse_zeros(project):
    with project.put("big.md").open("r+b") as file:
        file.truncate(5 * 10**9)
    includes("big.md")(project)


def large(project):
    project.put("big.md", "word " * 60_000)
    includes("big.md")(project)


def large_together(project):
    for number in range(9):
        project.put(f"{number}.md", f"{number}" * 120_000)
    includes(*(f"{number}.md" for number in range(9)))(project)


def cycle_of(count):
    def build(project):
        names = ["MEWCODE.md", *(f"{n}.md" for n in range(1, count))]
        for name, after in zip(names, [*names[1:], names[0]], strict=True):
            project.put(name, f"@include {after}\n")

    return build


def cycle_by_link(project):
    project.link("other.md", "MEWCODE.md")
    includes("other.md")(project)


def cycle_by_hard_link(project):
    includes("other.md")(project)
    os.link(project.root / "MEWCODE.md", project.root / "other.md")


def chain_of(depth):
    def build(project):
        project.main("@include 2.md")
        for level in range(2, depth + 1):
            project.put(f"{level}.md", f"level {level}\n\n@include {level + 1}.md\n")
        project.put(f"{depth}.md", f"level {depth}\n")

    return build


def fan_out(project):
    for level in range(1, 4):
        lines = "".join(f"@include {level + 1}-{n}.md\n\n" for n in range(10))
        for n in range(10):
            project.put(f"{level}-{n}.md", lines)
    for n in range(10):
        project.put(f"4-{n}.md", "x\n")
    includes(*(f"1-{n}.md" for n in range(10)))(project)


def thousands(project):
    includes(*["empty.md"] * 12_000)(project)
    project.put("empty.md")


def unreadable(project):
    os.chmod(project.put("shut.md", CANARY), 0)
    includes("shut.md")(project)


def shut_directory(project):
    os.chmod(project.put("shut/x.md", CANARY).parent, 0)
    includes("shut/x.md")(project)


def directory(project):
    project.put("docs/x.md")
    includes("docs")(project)


def named(name):
    def build(project):
        project.main("@include docs")
        project.put(".mewcode/MEWCODE.md", b"x" * 600 + name)

    return build


def file_of(content, name="file.md"):
    def build(project):
        project.put(name, content)
        includes(name)(project)

    return build


def one_of_two_cases(project):
    project.put("Readme.md", CANARY)
    includes("readme.md")(project)


def breaking_out(project):
    project.main(f"@include x --> {CANARY.lower()} <!--", "@include y --!> z")


ATTACKS = [
    ("dots", includes("../outside/secret.md"), "escape"),
    ("many-dots", includes("../" * 60 + "etc/passwd"), "escape"),
    ("dots-inside", includes("a/../../outside/secret.md"), "missing"),
    ("dots-through-a-file", includes("MEWCODE.md/../../outside/secret.md"), "missing"),
    ("dots-quoted", includes('"../outside/secret.md"'), "escape"),
    ("dots-part", includes("../outside/secret.md:1-1"), "escape"),
    ("dots-section", includes("../outside/secret.md#x"), "escape"),
    ("dot-slash", includes("./.././outside//secret.md"), "escape"),
    ("absolute", absolute, "escape"),
    ("absolute-etc", includes("/etc/passwd"), "escape"),
    ("absolute-slashes", includes("//etc/passwd"), "escape"),
    ("absolute-of-all", includes("/"), "escape"),
    ("home", includes("~/secret.md"), "escape"),
    ("home-of-another", includes("~root/.ssh/id_rsa"), "missing"),
    ("home-alone", includes("~"), "escape"),
    ("variable", includes("$HOME/secret.md"), "missing"),
    ("sibling-prefix", sibling, "escape"),
    ("link-out", linked("../outside/secret.md"), "escape"),
    ("link-out-part", linked("../outside/secret.md", "link.md:1-1"), "escape"),
    ("link-absolute", linked("/etc/passwd"), "escape"),
    ("link-to-proc", linked("/proc/self/environ"), "escape"),
    ("link-to-nothing", linked("gone.md"), "missing"),
    ("link-to-device", linked("/dev/zero"), "escape"),
    ("link-chain", chain_of_links, "escape"),
    ("link-directory", directory_link, "escape"),
    ("link-directory-absolute", absolute_directory_link, "escape"),
    ("link-directory-deep", deep_directory_link, "escape"),
    ("link-then-up", up_through_a_link, "escape"),
    ("link-out-then-up", link_out_and_back, "escape"),
    ("link-above", link_to_the_root_above, "escape"),
    ("link-layer", layer_link, "escape"),
    ("link-local-layer", local_layer_link, "escape"),
    ("link-loop", loop, "unreadable"),
    ("link-to-itself", self_loop, "unreadable"),
    ("fifo", fifo, "not a regular file"),
    ("fifo-layer", fifo_layer, "not a regular file"),
    ("socket", a_socket, "not a regular file"),
    ("directory", directory, "not a regular file"),
    ("directory-dot", includes("."), "not a regular file"),
    ("device", includes("/dev/zero"), "escape"),
    ("proc", includes("/proc/self/environ"), "escape"),
    ("proc-root", includes("/proc/self/root/etc/passwd"), "escape"),
    ("proc-cwd-up", includes("/proc/self/cwd/../outside/secret.md"), "escape"),
    ("sparse", sparse, "too large"),
    ("sparse-zeros", sparse_zeros, "binary"),
    ("large", large, "too large"),
    ("large-together", large_together, "too large"),
    ("cycle-1", cycle_of(1), "cycle"),
    ("cycle-2", cycle_of(2), "cycle"),
    ("cycle-5", cycle_of(5), "cycle"),
    ("cycle-link", cycle_by_link, "cycle"),
    ("cycle-hard-link", cycle_by_hard_link, "cycle"),
    ("depth-6", chain_of(6), "depth"),
    ("depth-9", chain_of(9), "depth"),
    ("fan-out", fan_out, "repeat"),
    ("thousands", thousands, "too large"),
    ("binary", file_of(b"\x89PNG\r\n\x1a\n\0\0"), "binary"),
    ("nul-at-511", file_of(b"x" * 511 + b"\0"), "binary"),
    ("utf-16", file_of("text".encode("utf-16")), "binary"),
    ("latin-1", file_of("na\xefve\n".encode("latin-1")), "encoding"),
    ("cut-character", file_of("漢".encode()[:2]), "encoding"),
    ("open-fence", file_of("```\nopen\n"), "left open"),
    ("open-tildes", file_of("text\n~~~~ x\nopen\n"), "left open"),
    ("open-comment", file_of("<!-- hidden\n"), "left open"),
    ("open-pre", file_of("<pre>\n\nopen\n"), "left open"),
    ("nul-in-the-path", named(b"\n@include \0\n"), "missing"),
    ("control-in-the-path", includes("\x1b[31mred\x07.md"), "missing"),
    ("bidi-in-the-path", includes("a\u202etxt.md"), "missing"),
    ("out-of-the-comment", breaking_out, "missing"),
    ("long-name", includes("x" * 300), "unreadable"),
    ("long-path", includes("x/" * 5000 + "y"), "missing"),
    ("case", one_of_two_cases, "missing"),
    ("network-path", includes("\\\\server\\share\\x.md"), "escape"),
    ("device-path", includes("\\\\?\\C:\\x.md"), "escape"),
    ("address", includes("https://example.org/x.md"), "missing"),
    ("no-path", includes(""), "syntax"),
    ("open-quote", includes('"a.md'), "syntax"),
    ("junk-after-quote", includes('"a.md" and more'), "syntax"),
    ("no-range", includes("MEWCODE.md:0-1"), "cycle"),
]


def test_there_are_enough_of_them():
    assert len(ATTACKS) >= 60
    assert len({name for name, *_ in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize(
    ("name", "build", "kind"), [pytest.param(*row, id=row[0]) for row in ATTACKS]
)
def test_an_attack_reads_nothing_and_is_told_by_its_kind(
    name, build, kind, project, render
):
    build(project)
    told = render()
    assert told.code == 0, told.err
    assert CANARY not in told.out + told.err
    assert "root:" not in told.out + told.err
    kinds = {line.split(": ")[1] for line in told.err.splitlines()}
    assert kind in kinds, told.err
    if name != "absolute":  # it has the path itself
        assert str(project.top) not in told.out + told.err
    assert "\x1b" not in told.out + told.err
    strict = render("--strict")
    assert strict.code == (0 if kind == "repeat" else 1)
    assert kind == "repeat" or strict.out == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("build", [unreadable, shut_directory])
def test_what_may_not_be_read_is_unreadable(build, project, render):
    build(project)
    told = render()
    assert (told.code, CANARY in told.out) == (0, False)
    assert ": unreadable: " in told.err


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/proc/self/environ", "/proc"),
        ("/dev/zero", "/dev"),
        ("/sys/kernel/uevent_seqnum", "/sys"),
    ],
)
def test_an_allowed_root_does_not_make_a_device_or_proc_readable(
    path, allowed, project, render
):
    project.main(f"@include {path}")
    told = render("--allow-root", allowed)
    assert told.code == 0
    assert ": not a regular file: " in told.err


HARMLESS = [
    ("dots-that-stay", includes("a/../b.md")),
    ("dots-to-the-root-and-back", includes("../project/b.md")),
    ("link-inside", linked("b.md")),
    ("link-absolute-inside", lambda p: linked(p.root / "b.md")(p)),
    ("link-and-part", linked("b.md", "link.md:1-1")),
    ("depth-5", chain_of(5)),
    ("depth-4", chain_of(4)),
    ("bom", file_of(b"\xef\xbb\xbfkept\n")),
    ("crlf", file_of(b"kept\r\nkept\r\n")),
    ("nul-at-513", file_of(b"x" * 513 + b"\0")),
    ("no-line-end", file_of(b"kept")),
    ("empty", file_of(b"")),
]


@pytest.mark.parametrize(
    "build", [pytest.param(build, id=name) for name, build in HARMLESS]
)
def test_what_only_looks_like_an_attack_is_rendered(build, project, render):
    project.put("b.md", "inside\n")
    project.put("a/x.md")
    build(project)
    told = render("--strict")
    assert (told.code, told.err) == (0, "")
    assert "<!--" not in told.out
    assert "@include" not in told.out
