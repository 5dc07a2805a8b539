"""Which Lean is used, what is said if there is none, and what a run of it may end in."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from support.lean_packages import pretender

from eclogue.lean import toolchain
from eclogue.lean.build import run_problems
from eclogue.lean.problems import Verdict
from eclogue.lean.process import ChildLimits, Trouble
from eclogue.lean.toolchain import (
    COMMIT,
    EXTRA,
    PACKAGE,
    SETTING,
    VERSION,
    Lean,
    LeanUnavailable,
    find_lean,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the pretenders are shell scripts")


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the package that brings Lean's library."""

    def find_spec(name: str) -> ModuleSpec | None:
        assert name == PACKAGE
        return None

    monkeypatch.setattr(toolchain.importlib.util, "find_spec", find_spec)


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), **more}


@pytest.mark.usefixtures("no_package")
def test_without_lean_the_message_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LeanUnavailable) as raised:
        find_lean(environment=environment(tmp_path))
    text = str(raised.value)
    assert VERSION in text
    assert SETTING in text
    assert "extra `lean`" in text
    assert not raised.value.mismatch


@pytest.mark.usefixtures("no_package")
def test_a_matching_lean_on_the_path_is_used(tmp_path: Path) -> None:
    pretender(tmp_path / "lean", "exit 0")
    found = find_lean(environment=environment(tmp_path))
    assert (found.source, found.version, found.commit) == ("path", VERSION, COMMIT)
    assert found.digest.startswith("sha256:")


@pytest.mark.usefixtures("no_package")
@pytest.mark.parametrize(
    ("version", "commit"), [("4.34.0", COMMIT), (VERSION, "0" * 40)], ids=["version", "commit"]
)
def test_another_lean_on_the_path_is_a_mismatch(tmp_path: Path, version: str, commit: str) -> None:
    pretender(tmp_path / "lean", "exit 0", version=version, commit=commit)
    with pytest.raises(LeanUnavailable, match=f"is version {version}, commit {commit[:12]}") as raised:
        find_lean(environment=environment(tmp_path))
    assert raised.value.mismatch


def test_another_lean_on_the_path_does_not_hide_the_package(lean: Lean, tmp_path: Path) -> None:
    if lean.source != "package":
        pytest.skip("this machine's Lean is not the package's")
    pretender(tmp_path / "lean", "exit 0", version="4.34.0")
    assert find_lean(environment=environment(tmp_path)) == lean


def test_the_package_comes_before_the_path(lean: Lean, tmp_path: Path) -> None:
    """A program on PATH says itself what it is; it is not even asked."""
    if lean.source != "package":
        pytest.skip("this machine's Lean is not the package's")
    asked = tmp_path / "asked"
    (tmp_path / "lean").write_text(f"#!/bin/sh\ntouch {asked}\nexit 1\n")
    (tmp_path / "lean").chmod(0o755)
    assert find_lean(environment=environment(tmp_path)) == lean
    assert not asked.exists()


@pytest.mark.usefixtures("no_package")
def test_a_program_beside_the_right_library_is_not_a_known_one(lean: Lean, tmp_path: Path) -> None:
    """What is run is what the digest is of: then the library itself, and the program is left alone."""
    if not lean.known:
        pytest.skip("this machine's Lean is not a known one")
    for folder in ("bin", "lib/lean"):
        (tmp_path / folder).mkdir(parents=True)
    library = tmp_path / "lib" / "lean" / lean.location.name
    library.symlink_to(lean.location)
    pretender(tmp_path / "bin" / "lean", "exit 0")
    found = find_lean(environment=environment(tmp_path / "bin"))
    assert (found.known, found.kind, found.location) == (True, "library", library)
    library.unlink()
    library.write_bytes(b"another")
    other = find_lean(environment=environment(tmp_path / "bin"))
    assert (other.known, other.kind) == (False, "executable")
    library.write_bytes(b"a third")
    assert find_lean(environment=environment(tmp_path / "bin")).digest != other.digest


@pytest.mark.usefixtures("no_package")
def test_the_hint_fits_what_was_found(tmp_path: Path) -> None:
    bad = pretender(tmp_path / "bad", "exit 0", version="4.34.0")
    for setting, wanted in ((bad, "unset it to have the package's"), (None, f"extra `{EXTRA}`")):
        with pytest.raises(LeanUnavailable) as raised:
            find_lean(setting, environment(tmp_path))
        assert wanted in raised.value.hint
        assert (f"extra `{EXTRA}`" in raised.value.hint) is (setting is None)


def test_a_package_that_is_refused_is_not_to_be_installed_for_the_first_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "libleanshared.so"
    broken.write_text("no library")
    monkeypatch.setattr(toolchain, "_package_library", lambda: broken)
    with pytest.raises(LeanUnavailable) as raised:
        find_lean(environment=environment(tmp_path))
    assert raised.value.hint.startswith(f"Install {PACKAGE} again")


@pytest.mark.usefixtures("no_package")
def test_elan_is_not_asked_to_choose(tmp_path: Path) -> None:
    folder = tmp_path / ".elan" / "toolchains" / f"leanprover--lean4---v{VERSION}" / "bin"
    folder.mkdir(parents=True)
    pretender(folder / "lean", "exit 0")
    pretender(tmp_path / "lean", "exit 0", version="4.34.0")
    assert find_lean(environment=environment(tmp_path)).location == folder / "lean"


def test_a_setting_comes_first_and_alone(tmp_path: Path) -> None:
    good = pretender(tmp_path / "good", "exit 0")
    assert find_lean(good).source == "setting"
    assert find_lean(environment=environment(tmp_path, **{SETTING: good})).source == "setting"
    bad = pretender(tmp_path / "bad", "exit 0", version="4.34.0")
    with pytest.raises(LeanUnavailable):
        find_lean(bad)
    with pytest.raises(LeanUnavailable, match="no such file"):
        find_lean(str(tmp_path / "nowhere"))
    with pytest.raises(LeanUnavailable, match="does not tell a version"):
        find_lean(sys.executable)


def test_a_library_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "libleanshared.so").write_text("not a library")
    with pytest.raises(LeanUnavailable, match="does not tell a version"):
        find_lean(str(tmp_path))


# ------------------------------------------------------------------------------------------------
# Runs


ENDINGS = {
    "exec sleep 60": Trouble.TIMEOUT,
    "kill -SEGV $$": Trouble.CRASH,
    "kill -KILL $$": Trouble.KILLED,
    "exit 3": Trouble.CRASH,
    "echo '{'": Trouble.UNPARSABLE,
    "echo '[]'": Trouble.UNPARSABLE,
    'echo \'{"severity":"fine","pos":{"line":1,"column":0},"data":""}\'': Trouble.UNPARSABLE,
    "echo strange >&2": Trouble.UNPARSABLE,
    "exec yes": Trouble.OUTPUT,
    "head -c 3000000 /dev/zero": Trouble.OUTPUT,
    "echo 'libc++abi: terminating due to bad_alloc' >&2; exit 134": Trouble.MEMORY,
}


@pytest.mark.parametrize("body", ENDINGS)
def test_a_run_that_says_nothing_has_a_trouble(tmp_path: Path, body: str) -> None:
    found = find_lean(pretender(tmp_path / "lean", body))
    run = found.run(["x.lean"], limits=ChildLimits(seconds=5.0, output=1 << 21))
    assert run.trouble is ENDINGS[body]
    assert run.detail


def message(text: str, kind: str = "") -> str:
    """Return a shell script that ends as Lean does with one error message."""
    told = {"severity": "error", "pos": {"line": 1, "column": 0}, "data": text, "kind": kind}
    return f"cat <<'END'\n{json.dumps(told)}\nEND\necho 'bad_alloc, out of memory' >&2\nexit 1"


GIVES_UP = {
    "maximum recursion depth has been reached": "runtime.maxRecDepth",
    "(deterministic) timeout at `whnf`": "runtime.maxHeartbeats",
    "(kernel) deep recursion detected, use `set_option maxRecDepth <num>` to increase the limit": "",
    "(kernel) deterministic timeout": "",
}
REFUSES = (
    "Type mismatch: maximum recursion depth, (deterministic) timeout, out of memory",
    "maximum recursion depth has been reached",
    "(deterministic) timeout at `whnf`",
    "out of memory",
    "excessive memory consumption detected, says a text",
    "(kernel) deterministic timeout, says a text",
    "(kernel) declaration type mismatch, 'stack overflow'",
)


@pytest.mark.parametrize("text", [*GIVES_UP, *REFUSES])
def test_a_refusal_is_told_from_a_limit_by_what_lean_says_it_is(tmp_path: Path, text: str) -> None:
    """Not by words, which any text of what is checked may have."""
    kinds = [GIVES_UP[text]] if text in GIVES_UP else ["", "lean.unknownIdentifier._namedError"]
    for kind in kinds:
        run = find_lean(pretender(tmp_path / "lean", message(text, kind))).run(["x.lean"])
        (problem,) = run_problems("x", run)
        wanted = ("lean.limit", Verdict.UNKNOWN) if text in GIVES_UP else ("module.error", Verdict.REJECTED)
        assert (problem.code, problem.verdict) == wanted


def test_memory_that_ran_out_is_a_trouble(tmp_path: Path) -> None:
    text = "excessive memory consumption detected at 'interpreter' (potential solution: increase it)"
    for said in (text, "(kernel) excessive memory consumption detected"):
        run = find_lean(pretender(tmp_path / "lean", message(said))).run(["x.lean"])
        assert run.trouble is Trouble.MEMORY


def test_lean_itself_says_which_message_is_of_a_limit(lean: Lean, tmp_path: Path) -> None:
    path = tmp_path / "Some.lean"
    deep = "N.s (" * 40 + "n" + ")" * 40
    path.write_text(
        "prelude\nset_option maxRecDepth 30\ninductive N where | z | s (n : N)\n"
        f"def d : N → N := fun n => {deep}\ndef e : N := «(kernel) deterministic timeout»\n"
    )
    problems = run_problems("x", lean.run([str(path)]))
    assert [problem.code for problem in problems] == ["lean.limit", "module.error"]


def test_messages_are_read(lean: Lean, tmp_path: Path) -> None:
    path = tmp_path / "Some.lean"
    path.write_text("prelude\n#print axioms nothing\n")
    run = lean.run([str(path)])
    assert run.trouble is None
    assert run.code == 1
    (message,) = run.messages
    assert (message.severity, message.line, message.column) == ("error", 2, 14)
    assert "nothing" in message.text


def test_settings_of_lean_in_the_environment_do_not_reach_it(
    lean: Lean, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAN_PATH", str(tmp_path))
    (tmp_path / "Hidden.lean").write_text("prelude\n")
    compiled = tmp_path / "Hidden.olean"
    lean.run(["-R", str(tmp_path), "-o", str(compiled), str(tmp_path / "Hidden.lean")])
    assert compiled.is_file()
    (tmp_path / "Uses.lean").write_text("prelude\nimport Hidden\n")
    assert lean.run([str(tmp_path / "Uses.lean")]).of("error")
    assert not lean.run([str(tmp_path / "Uses.lean")], search_path=tmp_path).of("error")
