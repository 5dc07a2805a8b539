"""What a run saw of its files, held against the model: what was read, listed, found and told to differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from hashlib import sha256

from eclogue.core.values import RecordValue, Value
from eclogue.runtime.files.files import Directory, File, FileTree, Link, Node, Path, walk
from eclogue.runtime.files.scopes import FlatScope
from eclogue.runtime.patterns import pattern


class Differs(Exception):
    """A record is not what the model says, or the model cannot say."""


def field(value: Value, name: str, otherwise: Value = None) -> Value:
    """Return a field of a record."""
    return value.fields.get(name, otherwise) if isinstance(value, RecordValue) else otherwise


def worked(value: Value) -> bool | None:
    """Whether an outcome says that it worked; None where the program declared nothing that says it.

    A program that declared no record gets its value only if all went well.
    """
    if not isinstance(value, RecordValue):
        return True
    if "ok" in value.fields:
        return value.fields["ok"] is True
    return value.fields["error"] == "" if "error" in value.fields else None


def hold_answer(error: str | None, value: Value) -> None:
    """Hold the model's answer, an error's name or None, against an outcome; raises `Differs`."""
    said = worked(value)
    if said is not None and said is not (error is None):
        raise Differs(f"the model answers {error or 'that it works'}")
    recorded = field(value, "error", error or "")
    if recorded != (error or ""):
        raise Differs(f"the model answers {error}, and not {recorded}")


def hold_seen(tree: FileTree, operation: str, path: Path, value: Value) -> None:
    """Hold what was seen at a path against the model's tree; raises `Differs`."""
    node = tree.get(path)
    if operation == "read" and field(value, "error") in ("not UTF-8", "EFBIG") and isinstance(node, File):
        return  # that depends on the bytes, of which the model has the digest
    hold_answer(error_of(tree, operation, path), value)
    if worked(value) is False or node is None:
        return
    if operation == "read":
        _hold(
            field(value, "text", value),
            str,
            lambda text: node == File(digest(str(text)), _mode(node)),
            "content",
        )
    elif operation == "list":
        names = (other[-1] for other in tree if len(other) == len(path) + 1 and other[:-1] == path)
        _hold(field(value, "names", value), tuple, lambda found: found == _told(names), "names")
    else:
        kind = "link" if isinstance(node, Link) else "directory" if isinstance(node, Directory) else "file"
        special = str(node.content) if isinstance(node, File) else ""
        wanted = special.removeprefix("special:") if special.startswith("special:") else kind
        _hold(field(value, "kind"), str, lambda found: found == wanted, "kind of thing")
        _hold(field(value, "mode"), int, lambda found: found == _mode(node), "mode")


def hold_found(tree: FileTree, wanted: str, value: Value) -> None:
    """Hold the paths that match a pattern against the model's tree; raises `Differs`."""
    hold_answer(None, value)
    matches = pattern(wanted).fullmatch
    names = ("/".join(path) for path in tree if path and matches(os.fsencode("/".join(path))))
    _hold(field(value, "paths", value), tuple, lambda found: found == _told(names), "paths")


def hold_changes(scope: FlatScope, value: Value) -> None:
    """Hold the changes of a scope since its fork against the model's; raises `Differs`."""
    paths = scope.tree.keys() | scope.base.keys()
    wanted = {
        _shown("/".join(path)): _change(before, after)
        for path in paths
        if (before := scope.base.get(path)) != (after := scope.tree.get(path))
    }
    for item in value if isinstance(value, tuple) else ():
        path = field(item, "path")
        change = wanted.get(path) if isinstance(path, str) else None
        if isinstance(path, str) and (change is None or field(item, "change", change) != change):
            raise Differs(f"the model has another change, or none, of {path or 'the root'}")
    if isinstance(value, tuple) and len(value) != len(wanted):
        raise Differs(f"the model has {len(wanted)} changes")


def digest(text: str) -> str:
    """Return the digest of a file with this text."""
    return sha256(text.encode()).hexdigest()


def error_of(tree: FileTree, operation: str, path: Path) -> str | None:
    """Return the error with which looking at a path ends: to read a file, to list, or what stands there."""
    node = tree.get(path)
    if operation == "stat":
        return None if node is not None else "ENOENT"
    error = walk(tree, path)
    if error is not None or node is None:
        return error or "ENOENT"
    if operation == "list":
        return None if isinstance(node, Directory) else "ENOTDIR"
    return "EISDIR" if isinstance(node, Directory) else "ELOOP" if isinstance(node, Link) else None


def _change(before: Node | None, after: Node | None) -> str:
    if before is None or after is None:
        return "added" if before is None else "removed"
    if type(before) is not type(after):
        return "kind"
    same = isinstance(before, Directory) or (
        isinstance(before, File) and isinstance(after, File) and before.content == after.content
    )
    return "metadata" if same else "content"


def _hold(value: object, kind: type, right: Callable[[object], bool], what: str) -> None:
    """Hold one part of an outcome against the model, if the program declared it."""
    if isinstance(value, kind) and not right(value):
        raise Differs(
            f"the model has another {what} there" if what != "names" else "the model has other names"
        )


def _mode(node: Node) -> int:
    return 0o777 if isinstance(node, Link) else node.mode


def _told(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(_shown(os.fsdecode(name)) for name in sorted(map(os.fsencode, names)))


def _shown(name: str) -> str:
    """Return a name as programs get it: bytes that are no text are written out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
