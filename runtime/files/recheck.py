"""The recorded file operations of a run, replayed on the pure model of files.

They must lead from the files before to the files after, and each recorded outcome must be the model's: did
it work, and what was read. Programs that a run started are not in the model: where they changed a file that
no operation wrote, the trees differ, and nothing is claimed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256

import attrs

from eclogue.core.trace import EffectDeclaration, HostObservation, Record
from eclogue.core.values import RecordValue, Value
from eclogue.runtime.files import scopes
from eclogue.runtime.files.files import (
    ChangeMode,
    Directory,
    File,
    FileTree,
    Link,
    MakeDirectory,
    Operation,
    Path,
    RemoveTree,
    Rename,
    Write,
)
from eclogue.runtime.nodes import split
from eclogue.runtime.patches import PatchRefused, patched
from eclogue.validator.files_evidence import FilesChecked


class _Differs(Exception):
    """The record is not what the model says, or the model cannot say."""


def check_files(records: Iterable[Record], base: FileTree, final: FileTree) -> FilesChecked:
    """Replay the operations of a trace on the model, from the files before to those after."""
    replay = _Replay({0: scopes.FlatScope(base, base, None)})
    declared: dict[int, EffectDeclaration] = {}
    programs: list[int] = []
    for number, record in enumerate(records):
        if isinstance(record, EffectDeclaration):
            declared[number] = record
        elif isinstance(record, HostObservation):
            about = declared[record.declaration]
            if about.operation.startswith("proc."):
                programs.append(record.declaration)
            try:
                replay.step(about.operation, about.payload, record.value)
            except _Differs as error:
                reason = f"record {record.declaration}, {about.operation}: {error}"
                return FilesChecked(False, reason, replay.count)
    return _compared(replay, final, programs)


def _compared(replay: _Replay, final: FileTree, programs: list[int]) -> FilesChecked:
    tree = replay.world[0].tree
    differing = sorted(path for path in tree.keys() | final.keys() if tree.get(path) != final.get(path))
    if differing:
        name = "/".join(differing[0]) or "the root"
        why = f"; a program (record {programs[0]}) may have changed it" if programs else ""
        reason = f"{name} is not what the recorded operations make of it{why}"
        return FilesChecked(False, reason, replay.count)
    reason = (
        f"{replay.count} recorded operations on files, replayed on the pure model from the recorded files, "
        "give the recorded files"
    )
    return FilesChecked(True, reason, replay.count)


@attrs.define
class _Replay:
    """The model's scopes, and what is known of contents by their digests."""

    world: scopes.FlatWorld
    current: int = 0
    count: int = 0
    names: dict[str, int] = attrs.field(factory=lambda: {"main": 0})
    texts: dict[str, str] = attrs.field(factory=dict)

    def step(self, name: str, payload: Value, value: Value) -> None:
        """Take one operation with its outcome; raises `_Differs`."""
        effect, _, operation = name.partition(".")
        if effect == "scope":
            self._scope(operation, payload, value)
        elif effect == "fs":
            self._files(operation, payload, value)

    # ---------------------------------------------------------------------------- scopes

    def _scope(self, operation: str, payload: Value, value: Value) -> None:
        if operation == "fork":
            child = len(self.names)
            self._command(scopes.Fork(self.current, child), "done")
            self.names[str(payload)] = child
            self.current = child
        elif operation == "switch":
            self.current = self.names.get(str(payload), -1)
        elif operation in ("merge", "discard"):
            parent = self.world[self.current].parent if self.current in self.world else None
            if parent is None:
                raise _Differs("the model has no such scope")
            if operation == "discard":
                self._command(scopes.Discard(self.current), "done")
                self.current = parent
                return
            merged = _field(value, "merged", True) is True
            self._command(scopes.MergeChild(parent, self.current), "done" if merged else "conflict")
            self.current = parent if merged else self.current

    def _command(self, command: scopes.Command, wanted: str) -> None:
        self.world, answer = scopes.flat_step(self.world, command)
        if answer != wanted:
            raise _Differs(f"the model answers {answer}")

    # ---------------------------------------------------------------------------- files

    def _files(self, operation: str, payload: Value, value: Value) -> None:
        if self.current not in self.world:
            raise _Differs("the model has no such scope")
        self.count += 1
        path = _path(payload, "source" if operation == "rename" else "path")
        worked = _worked(value)
        if path is None:
            if worked:
                raise _Differs("its path leads out of the workspace")
            return
        if operation in ("read", "list", "stat", "glob"):
            self._seen(operation, path, value, worked=worked)
            return
        wanted = self._operation(operation, path, payload)
        if wanted is None:
            if worked:
                raise _Differs("it cannot have worked")
            return
        self.world, answer = scopes.flat_step(self.world, scopes.Operate(self.current, wanted))
        if (answer == "done") is not worked:
            raise _Differs(f"the model answers {answer}")

    def _operation(self, operation: str, path: Path, payload: Value) -> Operation | None:
        """Return the model's operation, None for one that fails before it changes anything."""
        match operation:
            case "write":
                return Write(path, self._digest(str(_field(payload, "text", ""))))
            case "append":
                before = self._text(path)
                return Write(path, self._digest((before or "") + str(_field(payload, "text", ""))))
            case "patch":
                return self._patch(path, str(_field(payload, "patch", "")))
            case "mkdir":
                return MakeDirectory(path)
            case "remove":
                return RemoveTree(path) if path else None
            case "chmod":
                mode = _field(payload, "mode", 0)
                return ChangeMode(path, mode) if isinstance(mode, int) and 0 <= mode <= 0o7777 else None
            case "rename":
                target = _path(payload, "target")
                return None if target is None else Rename(path, target)
        raise _Differs("the model does not have this operation")

    def _patch(self, path: Path, patch: str) -> Operation | None:
        before = self._text(path)
        if before is None:
            return None
        try:
            return Write(path, self._digest(patched(before, patch)))
        except PatchRefused:
            return None

    def _text(self, path: Path) -> str | None:
        """Return the text of a file, None where there is none."""
        node = self.world[self.current].tree.get(path)
        if not isinstance(node, File):
            return None
        if str(node.content) not in self.texts:
            raise _Differs("what the file had in it is not in the trace")
        return self.texts[str(node.content)]

    def _digest(self, text: str) -> str:
        digest = sha256(text.encode()).hexdigest()
        self.texts[digest] = text
        return digest

    def _seen(self, operation: str, path: Path, value: Value, *, worked: bool) -> None:
        """Hold what was read against the model."""
        tree = self.world[self.current].tree
        node = tree.get(path)
        if operation == "read" and worked:
            text = value if isinstance(value, str) else str(_field(value, "text", ""))
            if not isinstance(node, File) or node.content != self._digest(text):
                raise _Differs("the model has another content there")
        elif operation == "list" and worked:
            names = value if isinstance(value, tuple) else _field(value, "names", None)
            inside = tuple(sorted(each[-1] for each in tree if each and each[:-1] == path))
            if not isinstance(node, Directory) or (names is not None and names != inside):
                raise _Differs("the model has other names there")
        elif operation in ("read", "list") and not worked:
            right = File if operation == "read" else Directory
            if isinstance(node, right) and operation == "list":
                raise _Differs("the model has a directory there")
        elif operation == "stat" and worked is not isinstance(node, (File, Link, Directory)):
            raise _Differs("the model says otherwise whether something is there")


def _field(value: Value, name: str, otherwise: Value) -> Value:
    """Return a field of a record; a payload with one parameter is the bare value."""
    return value.fields.get(name, otherwise) if isinstance(value, RecordValue) else otherwise


def _worked(value: Value) -> bool:
    """Whether an outcome says that it worked: a program may have declared only part of the result."""
    if not isinstance(value, RecordValue):
        return True
    if "ok" in value.fields:
        return value.fields["ok"] is True
    return value.fields.get("error", "") == ""


def _path(payload: Value, name: str) -> Path | None:
    text = _field(payload, name, payload if isinstance(payload, str) else None)
    if not isinstance(text, str):
        return None
    try:
        return tuple(os.fsdecode(part) for part in split(os.fsencode(text)))
    except ValueError:
        return None
