"""The recorded file operations of a run, replayed on the pure model of files.

They must lead from the files before to the files after, and each recorded outcome must be the model's: did
it work, and what was read. Programs that a run started are not in the model: where they changed a file that
no operation wrote, the trees differ, and nothing is claimed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import attrs

from eclogue.core.trace import EffectDeclaration, HostObservation, Record
from eclogue.core.values import Value
from eclogue.runtime.files import scopes
from eclogue.runtime.files.files import (
    ChangeMode,
    File,
    FileTree,
    MakeDirectory,
    Operation,
    Path,
    RemoveTree,
    Rename,
    Write,
)
from eclogue.runtime.files.seen import (
    Differs,
    digest,
    error_of,
    field,
    hold_answer,
    hold_changes,
    hold_found,
    hold_seen,
    worked,
)
from eclogue.runtime.nodes import split
from eclogue.runtime.patches import PatchRefused, patched
from eclogue.validator.files_evidence import FilesChecked


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
            except Differs as error:
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
    made: int = 0
    """The highest number that a scope has had: none is used again."""
    names: dict[str, int] = attrs.field(factory=lambda: {"main": 0})
    texts: dict[str, str] = attrs.field(factory=dict)

    def step(self, name: str, payload: Value, value: Value) -> None:
        """Take one operation with its outcome; raises `Differs`."""
        effect, _, operation = name.partition(".")
        if effect == "scope":
            self._scope(operation, payload, value)
        elif effect == "fs":
            self._files(operation, payload, value)

    # ---------------------------------------------------------------------------- scopes

    def _scope(self, operation: str, payload: Value, value: Value) -> None:
        scope = self._here()
        if operation == "fork":
            self.made += 1
            self._command(scopes.Fork(self.current, self.made), "done")
            self.names[str(payload)] = self.made
            self.current = self.made
        elif operation == "switch":
            self.current = self.names.get(str(payload), -1)
            self._here()
        elif operation == "diff":
            hold_changes(scope, value)
        elif operation == "discard":
            for number in self._family(self.current):
                self._command(scopes.Discard(number), "done")
            self.current = self._parent(scope)
        elif operation == "merge":
            parent, merged = self._parent(scope), field(value, "merged", True) is True
            self._command(scopes.MergeChild(parent, self.current), "done" if merged else "conflict")
            self.current = parent if merged else self.current
        else:
            raise Differs("the model does not have this operation")

    def _here(self) -> scopes.FlatScope:
        if self.current not in self.world:
            raise Differs("the model has no such scope")
        return self.world[self.current]

    def _parent(self, scope: scopes.FlatScope) -> int:
        if scope.parent is None:
            raise Differs("the first scope has no parent")
        return scope.parent

    def _family(self, number: int) -> list[int]:
        """Return the numbers of a scope and of all that were forked from it."""
        found = {number}
        for other in sorted(self.world):
            if self.world[other].parent in found:
                found.add(other)
        return sorted(found)

    def _command(self, command: scopes.Command, wanted: str) -> None:
        self.world, answer = scopes.flat_step(self.world, command)
        if answer != wanted:
            raise Differs(f"the model answers {answer}")

    # ---------------------------------------------------------------------------- files

    def _files(self, operation: str, payload: Value, value: Value) -> None:
        tree = self._here().tree
        self.count += 1
        path = _path(payload, "source" if operation == "rename" else "path")
        if isinstance(path, _Fails):
            hold_answer(path.error, value)
        elif operation == "glob":
            hold_found(tree, str(field(payload, "path", payload)), value)
        elif operation in ("read", "list", "stat"):
            hold_seen(tree, operation, path, value)
            if (
                operation == "read"
                and worked(value)
                and isinstance(text := field(value, "text", value), str)
            ):
                self._digest(text)
        else:
            self._write(operation, path, payload, value)

    def _write(self, operation: str, path: Path, payload: Value, value: Value) -> None:
        """Carry out what changes files, and hold its answer against the recorded one."""
        wanted = self._operation(operation, path, payload)
        if isinstance(wanted, _Fails):
            hold_answer(wanted.error, value)
            return
        self.world, answer = scopes.flat_step(self.world, scopes.Operate(self.current, wanted))
        hold_answer(None if answer == "done" else answer, value)

    def _operation(self, operation: str, path: Path, payload: Value) -> Operation | _Fails:
        """Return the model's operation, or what it fails with before it would change anything."""
        if operation not in _WRITES:
            raise Differs("the model does not have this operation")
        if not path:
            return _Fails("EISDIR")  # the root is neither written nor removed
        match operation:
            case "write":
                return Write(path, self._digest(str(field(payload, "text", ""))))
            case "append":
                return Write(path, self._digest(self._text(path) + str(field(payload, "text", ""))))
            case "patch":
                return self._patch(path, str(field(payload, "patch", "")))
            case "mkdir":
                return MakeDirectory(path)
            case "remove":
                return RemoveTree(path)
            case "chmod":
                mode = field(payload, "mode", 0)
                valid = isinstance(mode, int) and 0 <= mode <= 0o7777
                return ChangeMode(path, mode) if isinstance(mode, int) and valid else _Fails("EINVAL")
        target = _path(payload, "target")
        if isinstance(target, _Fails):
            return target
        return Rename(path, target) if target else _Fails("EISDIR")

    def _patch(self, path: Path, patch: str) -> Operation | _Fails:
        error = error_of(self._here().tree, "read", path)
        if error is not None:
            return _Fails(error)
        try:
            return Write(path, self._digest(patched(self._text(path), patch)))
        except PatchRefused as refused:
            return _Fails(str(refused))

    def _text(self, path: Path) -> str:
        """Return the text of a file, nothing where there is none."""
        node = self._here().tree.get(path)
        if not isinstance(node, File):
            return ""
        if str(node.content) not in self.texts:
            raise Differs("what the file had in it is not in the trace")
        return self.texts[str(node.content)]

    def _digest(self, text: str) -> str:
        found = digest(text)
        self.texts[found] = text
        return found


_WRITES = ("write", "append", "patch", "mkdir", "remove", "chmod", "rename")


@attrs.frozen
class _Fails:
    """The error with which an operation fails, by its name or in words."""

    error: str


def _path(payload: Value, name: str) -> Path | _Fails:
    text = field(payload, name, payload)
    if not isinstance(text, str):
        raise Differs("it has no path")
    try:
        return tuple(os.fsdecode(part) for part in split(os.fsencode(text)))
    except ValueError as error:
        return _Fails(str(error))
