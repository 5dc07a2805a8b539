"""Layers that the model makes, written to disk and mounted: the kernel shows what the model says.

The model's own layers after operations, layers that were lifted and tidied from trees, and layers that were
squashed; as root, and in a user namespace. The mounts are made here and not by a provider.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Sequence
from pathlib import Path as FilePath
from random import Random

import pytest
from support.file_operations import random_operation, scan
from support.users import as_nobody, in_child
from support.worlds import Place

from eclogue.runtime.files.files import (
    Directory,
    File,
    FileTree,
    Gone,
    Layer,
    Link,
    Merged,
    Path,
    Solid,
    content,
    run_stack,
    view,
)
from eclogue.runtime.files.layers import squash, storable, tidy, trim
from eclogue.runtime.sandbox import syscalls

RUNS = int(os.environ.get("ECLOGUE_WORLDS", "60"))
BASE: Layer = {(): Solid(Directory(0o755))}


def encode(layer: Layer, low: FileTree, folder: FilePath, opaque: str) -> str:
    """Write a layer that can be stored over a tree; return its folder's name."""
    assert storable(layer, low)
    folder.mkdir()
    for path in sorted(layer, key=len):
        entry, place = layer[path], folder.joinpath(*path)
        node = content(entry)
        match node:
            case None:
                os.mknod(place, stat.S_IFCHR, os.makedev(0, 0))
            case File(text, mode):
                place.write_text(str(text))
                place.chmod(mode)
            case Link(target):
                place.symlink_to(target)
            case Directory():
                place.mkdir(exist_ok=not path)
                if isinstance(entry, Solid) and path:
                    os.setxattr(place, opaque, b"y")
    for path, entry in layer.items():
        if isinstance(entry, Merged) or (isinstance(entry, Solid) and isinstance(entry.node, Directory)):
            node = content(entry)
            assert isinstance(node, Directory)
            folder.joinpath(*path).chmod(node.mode)
    return folder.name


def mounted(folders: Sequence[str], user: bool) -> FileTree:
    """Return what an overlay of these folders shows, the newest first."""
    os.makedirs("at", exist_ok=True)
    options = f"lowerdir={':'.join([*folders, 'nothing'])}" + (",userxattr" if user else "")
    syscalls.mount(b"overlay", b"at", b"overlay", syscalls.MS_RDONLY, options.encode())
    number = os.open("at", os.O_RDONLY | os.O_DIRECTORY)
    try:
        return scan(number)
    finally:
        os.close(number)
        syscalls.unmount(b"at", syscalls.MNT_DETACH)


def enter(folder: FilePath, user: bool) -> None:
    """Have a mount namespace of one's own, and an empty file system in which to write."""
    ids = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWNS | (syscalls.CLONE_NEWUSER if user else 0))
    if user:
        FilePath("/proc/self/setgroups").write_text("deny")
        FilePath("/proc/self/uid_map").write_text(f"{ids[0]} {ids[0]} 1")
        FilePath("/proc/self/gid_map").write_text(f"{ids[1]} {ids[1]} 1")
    syscalls.mount(b"none", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"mode=755")
    os.chdir(folder)
    os.umask(0)


def grown(rng: Random, layers: tuple[Layer, ...], steps: int) -> tuple[Layer, ...]:
    recent: list[Path] = []
    for _ in range(steps):
        layers, _ = run_stack(layers, random_operation(rng, view(layers), recent))
    return layers


def root(tree: FileTree) -> Merged:
    """Return the entry of a layer's own directory: it is always there, and shows as the mount's root."""
    node = tree[()]
    assert isinstance(node, Directory)
    return Merged(node.mode)


def compared(folder: FilePath, user: bool) -> Counter[str]:
    """Write and mount generated layers."""
    enter(folder, user)
    opaque = f"{'user' if user else 'trusted'}.overlay.opaque"
    os.mkdir("nothing")
    count: Counter[str] = Counter()
    for seed in range(RUNS):
        rng = Random(seed)
        layers: tuple[Layer, ...] = grown(rng, ({}, BASE), 25)
        for _ in range(2):
            layers = grown(rng, ({}, *layers), 12)
        upper, lower, *rest = layers
        bottom, under = view(rest), view([lower, *rest])
        here = FilePath(str(seed))
        here.mkdir()

        def put(name: str, layer: Layer, low: FileTree, here: FilePath = here) -> str:
            count["gone"] += any(isinstance(entry, Gone) for entry in layer.values())
            count["opaque"] += any(
                isinstance(entry, Solid) and isinstance(entry.node, Directory) for entry in layer.values()
            )
            return f"{here.name}/{encode(layer, low, here / name, opaque)}"

        base = put("base", tidy({}, bottom), {})
        below = put("lower", {(): root(under), **trim(bottom, lower)}, bottom)
        own = put("own", {(): root(view(layers)), **trim(under, upper)}, under)
        assert mounted([below, base], user) == under
        assert mounted([own, below, base], user) == view(layers)
        one = {(): root(view(layers)), **trim(bottom, squash(upper, lower))}
        assert mounted([put("squashed", one, bottom), base], user) == view(layers)
        wanted = view(grown(rng, ({}, *layers[1:]), 8))
        goal = {(): root(wanted), **tidy(under, wanted)}
        assert mounted([put("tidied", goal, under), below, base], user) == wanted
        count["layers"] += 4
    return count


def test_the_kernel_shows_what_the_models_layers_say(place: Place) -> None:
    if place.provider != "overlay":
        pytest.skip("layers are mounted by the kernel alone")
    user = place.kind == "overlay-nobody"
    child = as_nobody if user else in_child
    found = child(lambda: compared(place.folder, user))
    assert found["layers"] == 4 * RUNS
    assert found["gone"] > RUNS // 2
    assert found["opaque"] > RUNS // 2
