"""The host `fs`: files of the current scope, by paths below the workspace; no link is followed.

What can be expected to fail, such as a file that is not there, is a value: `ok` is false and `error` says
what the system said, by its name (`ENOENT`, `EISDIR`, …).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from eclogue.core.schema import ListSchema
from eclogue.core.syntax import Tier
from eclogue.core.values import RecordValue, Value, record
from eclogue.runtime.hosts.offers import BOOL as FLAG
from eclogue.runtime.hosts.offers import INT, TEXT, Offer, failed, of, worked
from eclogue.runtime.nodes import Parts, directory, joined, names_in, node_at, node_of, remove, split
from eclogue.runtime.patterns import pattern
from eclogue.runtime.session import Session

_LARGEST = 64 << 20
"""Bytes of a file that is read as one text."""
_NEW = b".eclogue.writing"

Inner = Callable[[int, Value], dict[str, Value]]


def _guarded(
    inner: Callable[[int, RecordValue], dict[str, Value]], **empty: Value
) -> Callable[[Session, Value], Value]:
    """Return a function whose expected errors are values."""

    def act(session: Session, payload: Value) -> Value:
        given = payload if isinstance(payload, RecordValue) else record({"path": payload})
        try:
            return worked(**inner(session.scope.directory(), given))
        except OSError as error:
            return failed(errno.errorcode.get(error.errno or 0, "EIO"), **empty)
        except UnicodeDecodeError:
            return failed("not UTF-8", **empty)
        except (ValueError, _Refused) as error:
            return failed(str(error), **empty)

    return act


class _Refused(Exception):
    """A request that cannot be right, such as a patch that does not fit."""


def _path(given: RecordValue, name: str = "path") -> Parts:
    return split(os.fsencode(str(given.fields[name])))


def _leaf(given: RecordValue, name: str = "path") -> tuple[Parts, bytes]:
    parts = _path(given, name)
    if not parts:
        raise _Refused("EISDIR")
    return parts[:-1], parts[-1]


def _bytes(root: int, parts: Parts) -> bytes:
    if not parts:
        raise _Refused("EISDIR")
    with directory(root, parts[:-1]) as where:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        number = os.open(parts[-1], flags, dir_fd=where)
        try:  # `fdopen` would not close a directory's, which would keep the view from being closed
            data = _head(number)
        finally:
            os.close(number)
    if len(data) > _LARGEST:
        raise _Refused("EFBIG")
    return data


def _head(number: int) -> bytes:
    """Return the bytes of a file, or so many of them that it is seen to be too large."""
    with os.fdopen(number, "rb", closefd=False) as file:
        return file.read(_LARGEST + 1)


def _read(root: int, given: RecordValue) -> dict[str, Value]:
    return {"text": _bytes(root, _path(given)).decode("utf-8")}


def _write(root: int, given: RecordValue) -> dict[str, Value]:
    where, name = _leaf(given)
    _replace(root, where, name, str(given.fields["text"]).encode())
    return {}


def _replace(root: int, where: Parts, name: bytes, data: bytes) -> None:
    """Write a whole file, with the mode that the old one had; directories above it are not made."""
    with directory(root, where) as number:
        node = node_at(number, name)
        if node is not None and node.kind != "file":
            raise _Refused(
                "EISDIR" if node.kind == "directory" else "ELOOP" if node.kind == "link" else "EINVAL"
            )
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o644, dir_fd=number), "wb") as file:
            file.write(data)


def _append(root: int, given: RecordValue) -> dict[str, Value]:
    where, name = _leaf(given)
    with directory(root, where) as number:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o644, dir_fd=number), "ab") as file:
            file.write(str(given.fields["text"]).encode())
    return {}


def _mkdir(root: int, given: RecordValue) -> dict[str, Value]:
    where, name = _leaf(given)
    with directory(root, where) as number:
        os.mkdir(name, 0o755, dir_fd=number)
    return {}


def _remove(root: int, given: RecordValue) -> dict[str, Value]:
    where, name = _leaf(given)
    with directory(root, where) as number:
        if node_at(number, name) is None:
            raise FileNotFoundError(errno.ENOENT, "")
        remove(number, name)
    return {}


def _rename(root: int, given: RecordValue) -> dict[str, Value]:
    """Rename as rename(2) does it; a directory with a part in a lower layer is moved by copying."""
    old, old_name = _leaf(given, "source")
    new, new_name = _leaf(given, "target")
    with directory(root, old) as source, directory(root, new) as target:
        try:
            os.rename(old_name, new_name, src_dir_fd=source, dst_dir_fd=target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _move(source, old_name, target, new_name)
    return {}


def _move(source: int, old_name: bytes, target: int, new_name: bytes) -> None:
    from eclogue.runtime.moving import copy_tree

    with suppress(FileNotFoundError):
        os.rmdir(new_name, dir_fd=target)
    copy_tree(source, old_name, target, new_name)
    remove(source, old_name)


def _list(root: int, given: RecordValue) -> dict[str, Value]:
    with directory(root, _path(given)) as number:
        return {"names": tuple(_text(name) for name in names_in(number))}


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


def _stat(root: int, given: RecordValue) -> dict[str, Value]:
    node = node_of(root, _path(given))
    if node is None:
        raise FileNotFoundError(errno.ENOENT, "")
    return {"kind": node.kind, "size": node.size, "mode": node.mode}


def _chmod(root: int, given: RecordValue) -> dict[str, Value]:
    where, name = _leaf(given)
    mode = given.fields["mode"]
    assert isinstance(mode, int)
    if not 0 <= mode <= 0o7777:
        raise _Refused("EINVAL")
    with directory(root, where) as number:
        node = node_at(number, name)
        if node is None:
            raise FileNotFoundError(errno.ENOENT, "")
        if node.kind == "link":
            raise _Refused("ELOOP")
        os.chmod(name, mode, dir_fd=number)
    return {}


def _glob(root: int, given: RecordValue) -> dict[str, Value]:
    wanted = str(given.fields["pattern"])
    split(os.fsencode(wanted))
    matches = pattern(wanted).fullmatch
    found = [joined(parts) for parts in _walk(root) if matches(joined(parts))]
    return {"paths": tuple(_text(path) for path in sorted(found))}


def _walk(root: int) -> Iterator[Parts]:
    pending: list[Parts] = [()]
    while pending:
        parts = pending.pop()
        with directory(root, parts) as where:
            for name in names_in(where):
                yield (*parts, name)
                node = node_at(where, name)
                if node is not None and node.kind == "directory":
                    pending.append((*parts, name))


def _patch(root: int, given: RecordValue) -> dict[str, Value]:
    from eclogue.runtime.patches import PatchRefused, patched

    where, name = _leaf(given)
    text = _bytes(root, (*where, name)).decode("utf-8")
    try:
        new = patched(text, str(given.fields["patch"]))
    except PatchRefused as error:
        raise _Refused(str(error)) from None
    _replace(root, where, name, new.encode())
    return {}


def _offer(
    name: str,
    payload: object,
    inner: Callable[[int, RecordValue], dict[str, Value]],
    plain: str = "",
    *,
    writes: bool = False,
    **fields: object,
) -> Offer:
    empty: dict[str, Value] = {
        key: () if isinstance(schema, ListSchema) else "" if schema is TEXT else 0
        for key, schema in fields.items()
    }
    return Offer(
        name=f"fs.{name}",
        payload=payload,  # type: ignore[arg-type]
        result=of(ok=FLAG, error=TEXT, **fields),  # type: ignore[arg-type]
        tier=Tier.REVERSIBLE,
        act=_guarded(inner, **empty),
        plain=plain,
        touches=frozenset({"files"}) if writes else frozenset(),
    )


_LINES = ListSchema(TEXT)

FILES = (
    _offer("read", TEXT, _read, "text", text=TEXT),
    _offer("write", of(path=TEXT, text=TEXT), _write, writes=True),
    _offer("append", of(path=TEXT, text=TEXT), _append, writes=True),
    _offer("mkdir", TEXT, _mkdir, writes=True),
    _offer("remove", TEXT, _remove, writes=True),
    _offer("rename", of(source=TEXT, target=TEXT), _rename, writes=True),
    _offer("chmod", of(path=TEXT, mode=INT), _chmod, writes=True),
    _offer("patch", of(path=TEXT, patch=TEXT), _patch, writes=True),
    _offer("list", TEXT, _list, "names", names=_LINES),
    _offer("stat", TEXT, _stat, kind=TEXT, size=INT, mode=INT),
    _offer(
        "glob",
        TEXT,
        lambda root, given: _glob(root, record({"pattern": given.fields["path"]})),
        "paths",
        paths=_LINES,
    ),
)
