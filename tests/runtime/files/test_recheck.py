"""The files facet on generated runs: what hosts really did is found again; what they did not do is not.

The hosts of files and scopes are asked in real scopes, and what they answer is recorded.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from random import Random

import attrs
import pytest
from support.worlds import Place

from eclogue.core.errors import MalformedInput
from eclogue.core.trace import EffectDeclaration, HostObservation, Record
from eclogue.core.values import RecordValue, Value, record
from eclogue.runtime.files.files import Directory, File, FileTree, Link
from eclogue.runtime.files.manifests import document_of, meant, read_document, told
from eclogue.runtime.files.recheck import check_files
from eclogue.runtime.hosts.files import FILES
from eclogue.runtime.hosts.offers import CannotCarryOut
from eclogue.runtime.hosts.scopes import SCOPES, follow
from eclogue.runtime.manifest import manifest_of
from eclogue.runtime.scope import World
from eclogue.runtime.session import Session, Settings
from eclogue.validator.strict_json import written

RUNS = int(os.environ.get("ECLOGUE_WORLDS", "6"))
OFFERS = {offer.name: offer for offer in (*FILES, *SCOPES)}
NAMES = ("a", "b", "ü")


def any_path(rng: Random) -> str:
    return "/".join(rng.choice(NAMES) for _ in range(rng.choice((1, 1, 2, 2, 3))))


def any_operation(rng: Random) -> tuple[str, Value]:
    """Return an operation and its payload; some that cannot work too."""
    path = "" if rng.random() < 0.03 else "../a" if rng.random() < 0.02 else any_path(rng)
    name = rng.choice((
        "write", "write", "append", "mkdir", "mkdir", "mkdir", "remove", "rename", "rename", "chmod",
        "patch", "read", "list", "stat", "glob",
    ))  # fmt: skip
    match name:
        case "write" | "append":
            return name, record({"path": path, "text": f"{rng.randrange(5)}\n"})
        case "patch":
            return name, record({"path": path, "patch": f"@@ -1 +1 @@\n-{rng.randrange(5)}\n+new\n"})
        case "rename":
            return name, record({"source": path, "target": any_path(rng)})
        case "chmod":
            return name, record({"path": path, "mode": rng.choice((0o700, 0o755, -1))})
        case "glob":
            return name, rng.choice(("**", "*", "a/*", "**/b", "?/?", "../*"))
    return name, path


@attrs.define
class Recording:
    """A session of which everything is recorded."""

    session: Session
    rng: Random
    records: list[Record] = attrs.field(factory=list)
    count: Counter[str] = attrs.field(factory=Counter)
    forked: int = 0

    def step(self) -> None:
        kind = self.rng.random()
        if kind < 0.8:
            name, payload = any_operation(self.rng)
            self.ask(f"fs.{name}", payload)
        elif kind < 0.87:
            self.forked += 1
            self.ask("scope.fork", f"scope{self.forked}")
        elif kind < 0.92:
            self.ask("scope.merge", None)
        elif kind < 0.95:
            self.ask("scope.discard", None)
        elif kind < 0.97:
            self.ask("scope.switch", self.rng.choice([scope.name for scope in self.session.world.scopes()]))
        else:
            self.ask("scope.diff", None)

    def ask(self, name: str, payload: Value) -> None:
        """Have an operation carried out, and record it, if it has an outcome."""
        if name == "scope.fork" and len(self.session.world.scopes()) > 4:
            return
        try:
            value = OFFERS[name].act(self.session, payload)
        except CannotCarryOut as error:
            if not name.startswith("scope.") or (
                self.session.current != "main" and "are open" not in error.reason
            ):
                raise
            return
        follow(self.session, name, payload, value)
        said = value.fields if isinstance(value, RecordValue) else {}
        self.count[f"{name} {said.get('error') or said.get('merged', True)}"] += 1
        self.records.append(EffectDeclaration(name, payload))
        self.records.append(HostObservation(len(self.records) - 1, value))


def recorded(here: Place, seed: int, steps: int = 80) -> tuple[Recording, FileTree, FileTree]:
    """Let a generated run happen over a small workspace; return it with the files before and after."""
    base, state = here.folder / f"base{seed}", here.folder / f"state{seed}"
    (base / "a" / "b").mkdir(parents=True)
    (base / "a" / "b" / "ü").write_text("1\n")
    (base / "b").symlink_to("a")
    for path in (base, base / "a", base / "a" / "b"):
        path.chmod(0o755)
    with World.create(base, state, provider=here.provider) as world:
        made = Recording(Session(world, Settings(), here.folder), Random(f"{here.kind} {seed}"))
        made.ask("fs.read", "a/b/ü")  # so that what is appended to it can be known
        for _ in range(steps):
            made.step()
        before, after = (manifest_of(root) for root in world.compared_roots(world.root.name))
        return made, *read_document(document_of(before, after, here.provider, world.fidelity))


def wrong_answers(value: Value) -> Iterator[Value]:
    """Yield an outcome with one thing in it said otherwise."""
    if isinstance(value, tuple):
        yield (*value, record({"path": "zz", "change": "added"}))
        return
    assert isinstance(value, RecordValue)
    for key, item in value.fields.items():
        if isinstance(item, bool):
            yield record({**value.fields, key: not item})
        elif value.fields.get("ok") is not False and (key != "size" and key != "error"):
            other = item + "x" if isinstance(item, str) else item + 1 if isinstance(item, int) else ("zz",)
            if key != "conflicts":
                yield record({**value.fields, key: other})
        elif key == "error" and str(item).isupper():
            yield record({**value.fields, key: "EIO"})


def test_what_really_happened_is_found_again_and_nothing_else(place: Place) -> None:
    def act(here: Place) -> Counter[str]:
        os.umask(0o022)
        count: Counter[str] = Counter()
        for seed in range(RUNS):
            made, before, after = recorded(here, seed)
            found = check_files(made.records, before, after)
            assert found.agreed, (seed, found.reason)
            count += made.count
            count["wrong"] += refused(made, before, after)
        return count

    count = place.do(act)
    assert count["fs.rename True"] > 0
    assert count["scope.merge True"] > 0
    assert count["wrong"] > 50


def refused(made: Recording, before: FileTree, after: FileTree) -> int:
    """See that what did not happen is not found; return how much was tried."""
    rng, tried = made.rng, 0
    for number in rng.sample(range(1, len(made.records), 2), min(20, len(made.records) // 2)):
        observed = made.records[number]
        assert isinstance(observed, HostObservation)
        if observed.value is None:
            continue
        for value in wrong_answers(observed.value):
            changed = [*made.records]
            changed[number] = attrs.evolve(observed, value=value)
            assert not check_files(changed, before, after).agreed, (made.records[number - 1], value)
            tried += 1
    for path, node in after.items():
        other = (
            File("0" * 64, 0o644) if not isinstance(node, File) else attrs.evolve(node, mode=node.mode ^ 1)
        )
        found = check_files(made.records, before, {**after, path: other})
        assert not found.agreed
        assert "is not what the recorded operations make of it" in found.reason
        tried += 1
    return tried


def test_what_fails_leaves_no_descriptor_by_which_a_merge_would_be_refused(place: Place) -> None:
    def act(here: Place) -> None:
        (here.base / "a").mkdir()
        with World.create(here.base, here.state, provider=here.provider) as world:
            made = Recording(Session(world, Settings(), here.folder), Random(1))
            made.ask("scope.fork", "x")
            made.ask("fs.list", "")
            opened = len(os.listdir("/proc/self/fd"))
            for name, payload in (
                ("read", "a"),
                ("patch", record({"path": "a", "patch": ""})),
                ("append", record({"path": "a", "text": ""})),
                ("write", record({"path": "a", "text": ""})),
                ("list", "missing"),
                ("remove", "a"),
            ):
                made.ask(f"fs.{name}", payload)
            assert len(os.listdir("/proc/self/fd")) == opened
            made.ask("scope.merge", None)
            assert made.count["scope.merge True"] == 1

    place.do(act)


# ------------------------------------------------------------------------------------------------
# The document


def test_every_name_is_written_in_one_way_of_its_own() -> None:
    names = [b"\xff", b"\\xff", b"\\\\xff", "ü".encode(), b"\\", b"a\\xzz", b"\n", b"\xc3", b"\\xC3"]
    assert len({told(name) for name in names}) == len(names)
    assert [os.fsencode(meant(told(name))) for name in names] == names


SANDBOX = {"provider": "copy", "fidelity": {"files": "yes"}}
ROOT = {"": ["directory", 0o755]}


@pytest.mark.parametrize(
    "side",
    [
        {},
        {"": ["file", 0o644, "0" * 64]},
        {**ROOT, "a/b": ["directory", 0o755]},
        {**ROOT, "a": ["file", 0o644, "0" * 63]},
        {**ROOT, "a": ["file", 0o644]},
        {**ROOT, "a": ["directory", True]},
        {**ROOT, "a": ["directory", 0o10000]},
        {**ROOT, "a": ["special:fifo", 0o644]},
        {**ROOT, "..": ["directory", 0o755]},
        {**ROOT, "/a": ["directory", 0o755]},
        {**ROOT, "a\\x41": ["directory", 0o755]},
        {**ROOT, "a\\q": ["directory", 0o755]},
        {**ROOT, "a": ["link", "\\x41"]},
        {**ROOT, "a": "link"},
    ],
)
def test_a_side_of_another_form_is_refused(side: dict[str, object]) -> None:
    good = {"base": ROOT, "final": ROOT, "format": "eclogue-files/1", "sandbox": SANDBOX}
    assert read_document(written(good) + b"\n") == ({(): Directory(0o755)},) * 2
    with pytest.raises(MalformedInput):
        read_document(written({**good, "final": side}) + b"\n")


def test_links_and_special_files_are_told_apart() -> None:
    side = {**ROOT, "l": ["link", "\\xff"], "p": ["fifo", 0o600]}
    document = {"base": side, "final": side, "format": "eclogue-files/1", "sandbox": SANDBOX}
    tree, _ = read_document(written(document) + b"\n")
    assert tree[("l",)] == Link("\udcff")
    assert tree[("p",)] == File("special:fifo", 0o600)
