"""Scopes: what forks share and do not, what merges and discards leave, with each provider and user."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from support.users import has_root
from support.worlds import Place, names, read, tree, write

from eclogue.runtime.sandbox.interface import Conflicts, Merged, SandboxError
from eclogue.runtime.scope import BASE, Scope, World


def fill(base: Path) -> None:
    """Write a small workspace."""
    (base / "d" / "deep").mkdir(parents=True)
    (base / "d" / "x").write_text("x\n")
    (base / "d" / "deep" / "y").write_text("y\n")
    (base / "f").write_text("one\ntwo\nthree\nfour\nfive\n")
    (base / "f").chmod(0o640)
    (base / "link").symlink_to("f")


def test_neither_side_sees_what_the_other_writes(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        before = tree(here.base)
        with here.create() as world:
            root = world.root
            write(root, "before", "1")
            child = root.fork("child")
            assert child.manifest() == root.manifest()
            write(root, "f", "parent")
            write(child, "f", "child")
            os.unlink("before", dir_fd=child.directory())
            grandchild = child.fork("grandchild")
            write(grandchild, "f", "grandchild")
            assert [read(each, "f") for each in (root, child, grandchild)] == [
                "parent",
                "child",
                "grandchild",
            ]
            assert "before" in names(root)
            assert "before" not in names(grandchild)
        assert tree(here.base) == before

    place.do(act)


def test_a_discard_leaves_the_parent_as_it_was_to_the_byte(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            write(world.root, "d/new", "1")
            before = world.root.manifest()
            child = world.root.fork("child")
            os.chmod("f", 0o600, dir_fd=child.directory())
            write(child, "d/x", "changed")
            os.unlink("d/deep/y", dir_fd=child.directory())
            os.rmdir("d/deep", dir_fd=child.directory())
            write(child.fork("inner"), "d/new", "2")
            child.discard()
            assert world.root.manifest() == before
            assert [scope.name for scope in world.scopes()] == ["main"]

    place.do(act)


def test_separate_and_equal_changes_merge_and_the_parents_later_mode_stays(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            root = world.root
            child = root.fork("child")
            write(child, "d/x", "child's\n")
            write(child, "same", "both\n")
            write(root, "same", "both\n")
            os.chmod("d", 0o700, dir_fd=root.directory())
            write(root, "other", "parent's\n")
            merged = child.merge()
            assert isinstance(merged, Merged)
            assert [change.path for change in merged.changes] == [b"d/x"]
            assert read(root, "d/x") == "child's\n"
            assert root.manifest()[b"d"].node.mode == 0o700
            assert read(root, "other") == "parent's\n"

    place.do(act)


def test_conflicts_are_a_value_and_nothing_is_changed(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            root = world.root
            child = root.fork("child")
            write(child, "f", "child's\n")
            write(child, "new", "n\n")
            write(root, "f", "parent's longer\n")
            before = root.manifest(), child.manifest()
            found = child.merge()
            assert isinstance(found, Conflicts)
            (conflict,) = found.conflicts
            assert (conflict.path, conflict.kind) == (b"f", "both")
            assert (conflict.base, conflict.ours, conflict.theirs) == (
                "file 0640, 24 bytes",
                "file 0640, 16 bytes",
                "file 0640, 8 bytes",
            )
            assert (root.manifest(), child.manifest()) == before

    place.do(act)


def test_texts_are_merged_by_lines_on_request(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            root = world.root
            child = root.fork("child")
            write(child, "f", "ONE\ntwo\nthree\nfour\nfive\n")
            write(root, "f", "one\ntwo\nthree\nfour\nFIVE\n")
            os.chmod("f", 0o600, dir_fd=root.directory())
            assert isinstance(child.merge(), Conflicts)
            assert isinstance(child.merge(lines=True), Merged)
            assert read(root, "f") == "ONE\ntwo\nthree\nfour\nFIVE\n"
            assert root.manifest()[b"f"].node.mode == 0o600

    place.do(act)


@pytest.mark.parametrize("removes", ["child", "parent"])
def test_a_directory_does_not_go_from_under_what_the_other_side_put_into_it(
    place: Place, removes: str
) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            root = world.root
            child = root.fork("child")
            remover, writer = (child, root) if removes == "child" else (root, child)
            for step in (("unlink", "d/deep/y"), ("rmdir", "d/deep")):
                getattr(os, step[0])(step[1], dir_fd=remover.directory())
            write(writer, "d/deep/z", "z")
            before = root.manifest()
            found = child.merge()
            assert isinstance(found, Conflicts)
            assert "orphan" in {conflict.kind for conflict in found.conflicts}
            assert root.manifest() == before

    place.do(act)


def test_a_directory_that_was_removed_and_made_again_hides_what_was_in_it(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            child = world.root.fork("child")
            view = child.directory()
            for step, name in (
                ("unlink", "d/x"),
                ("unlink", "d/deep/y"),
                ("rmdir", "d/deep"),
                ("rmdir", "d"),
            ):
                getattr(os, step)(name, dir_fd=view)
            os.mkdir("d", dir_fd=view)
            write(child, "d/new", "n")
            assert names(child, "d") == ["new"]
            child.merge()
            assert names(world.root, "d") == ["new"]
            world.apply()
        assert sorted(os.listdir(here.base / "d")) == ["new"]

    place.do(act)


def test_a_directory_of_the_base_is_renamed_or_refused_as_documented(place: Place) -> None:
    """Kernel overlayfs answers EXDEV, and whoever renames copies then; what merges is the renamed tree."""

    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            child = world.root.fork("child")
            done = child.run(["mv", "d", "e"])
            assert (done.code, done.err) == (0, b"")
            assert names(child, "e") == ["deep", "x"]
            child.merge()
            world.apply()
        assert sorted(os.listdir(here.base)) == ["e", "f", "link"]
        assert (here.base / "e" / "deep" / "y").read_text() == "y\n"

    place.do(act)


# ------------------------------------------------------------------------------------------------
# Every pair of kinds

KINDS = ("absent", "file", "other file", "directory", "full directory", "link", "fifo")


def become(folder: int, kind: str) -> None:
    """Have the name `p` in a folder be of a kind."""
    if kind in ("file", "other file"):
        with os.fdopen(
            os.open("p", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=folder), "w"
        ) as file:
            file.write(kind)
    elif kind in ("directory", "full directory"):
        os.mkdir("p", dir_fd=folder)
        if kind == "full directory":
            os.mkdir("p/q", dir_fd=folder)
            os.close(os.open("p/q/r", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=folder))
    elif kind == "link":
        os.symlink("nowhere", "p", dir_fd=folder)
    elif kind == "fifo":
        os.mkfifo("p", dir_fd=folder)


def clear(folder: int) -> None:
    """Remove the name `p` and all that is in it."""
    from eclogue.runtime.nodes import remove

    remove(folder, b"p")


def shape(entry: dict[bytes, object]) -> dict[bytes, object]:
    """Return a manifest without times and without the roots, which both sides touch."""
    return {path: (item.node, item.digest) for path, item in entry.items() if path}  # type: ignore[attr-defined]


def three_way(
    base: dict[bytes, object], ours: dict[bytes, object], theirs: dict[bytes, object]
) -> dict[bytes, object] | None:
    """Return what two changed trees come to, None if they conflict: the definition, path by path."""
    found = {}
    for path in base.keys() | ours.keys() | theirs.keys():
        before, left, right = base.get(path), ours.get(path), theirs.get(path)
        if right not in (before, left) and left != before:
            return None
        found[path] = left if right == before else right
    kept = {path: item for path, item in found.items() if item is not None}
    for path in kept:
        above = path.rpartition(b"/")[0]
        if above and getattr(kept.get(above, (None,))[0], "kind", None) != "directory":
            return None
    return kept


def test_every_pair_of_what_the_branch_made_and_what_the_parent_has(place: Place) -> None:
    """What merges, and into what, is as the definition has it path by path; a conflict changes nothing."""

    def act(here: Place) -> None:
        (here.base / "other").write_text("o")
        with here.create() as world:
            counts = {Merged: 0, Conflicts: 0}
            for number, (base, ours, theirs) in enumerate(itertools.product(KINDS, KINDS, KINDS)):
                become(world.root.directory(), base)
                outer = world.root.fork(f"outer{number}")
                child = outer.fork(f"child{number}")
                for side, kind in ((outer, ours), (child, theirs)):
                    if kind != base:
                        clear(side.directory())
                        become(side.directory(), kind)
                shapes = [shape(each.manifest()) for each in (world.root, outer, child)]
                wanted = three_way(*shapes)
                found = child.merge()
                counts[type(found)] += 1
                assert isinstance(found, Merged) is (wanted is not None), (base, ours, theirs)
                assert shape(outer.manifest()) == (wanted or shapes[1]), (base, ours, theirs)
                outer.discard()
                clear(world.root.directory())
            assert min(counts.values()) > 50

    place.do(act)


# ------------------------------------------------------------------------------------------------
# States and layers


def test_a_scope_is_reverted_to_any_state_also_after_its_layers_became_one(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            root, states = world.root, []
            for number in range(100):
                write(root, f"d/{number % 7}", str(number))
                if number % 10 == 9:
                    os.unlink(f"d/{(number + 3) % 7}", dir_fd=root.directory())
                states.append((root.freeze(), root.manifest()))
            if here.provider == "overlay":
                assert len(world._chain(world._facts["main"].top)) <= 3 * 8
            for state, manifest in (states[3], states[50], states[99], states[0]):
                root.revert(state)
                assert shape(root.manifest()) == shape(manifest)
            root.revert(BASE)
            assert shape(root.manifest()) == shape(tree(here.base))
            changed = {change.path for change in root.diff(states[99][0])}
            assert changed >= {b"d/0", b"d/1"}

    place.do(act)


def test_a_state_that_nothing_changed_has_the_same_name(place: Place) -> None:
    def act(here: Place) -> None:
        with here.create() as world:
            assert world.root.freeze() == BASE
            write(world.root, "a", "1")
            first = world.root.freeze()
            assert first != BASE
            assert world.root.freeze() == first

    place.do(act)


def test_a_world_is_opened_again_as_it_was(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            write(world.root, "a", "1")
            child = world.root.fork("child")
            write(child, "b", "2")
            before = world.root.manifest(), child.manifest()
        with World.reopen(here.state) as world:
            assert (world.root.manifest(), world.scope("child").manifest()) == before
            with pytest.raises(SandboxError, match="called 'child' before"):
                world.root.fork("child")

    place.do(act)


# ------------------------------------------------------------------------------------------------
# The workspace


def test_applying_writes_the_workspace_and_ends_the_world(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            write(world.root, "d/x", "new\n")
            os.unlink("link", dir_fd=world.root.directory())
            wanted = shape(world.root.manifest())
            assert isinstance(world.apply(), Merged)
            with pytest.raises(SandboxError, match="done with"):
                world.root.fork("late")
        assert shape(tree(here.base)) == wanted

    place.do(act)


def test_a_workspace_that_was_changed_meanwhile_is_not_lost(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            write(world.root, "f", "sandbox\n")
            (here.base / "f").write_text("person\n")
            if here.provider == "overlay":
                with pytest.raises(SandboxError, match=r"was changed while.*: f"):
                    world.apply()
            else:
                found = world.apply()
                assert isinstance(found, Conflicts)
        assert (here.base / "f").read_text() == "person\n"

    place.do(act)


def test_open_scopes_stand_against_applying(place: Place) -> None:
    def act(here: Place) -> None:
        with here.create() as world:
            world.root.fork("child")
            with pytest.raises(SandboxError, match="still open: child"):
                world.apply()

    place.do(act)


def test_one_state_has_one_user_and_does_not_lie_in_the_workspace(place: Place) -> None:
    def act(here: Place) -> None:
        with here.create(), pytest.raises(SandboxError, match="in use"):
            World.reopen(here.state)
        with pytest.raises(SandboxError, match="lies in the workspace"):
            World.create(here.base, here.base / "state")
        with pytest.raises(SandboxError, match="is not empty"):
            World.create(here.base, here.state)

    place.do(act)


ODD = [
    "a:b",
    "a,b",
    "a\\b",
    "sp ace",
    "new\nline",
    'quo"te',
    "'",
    "\udcff\udcfe",
    "x" * 255,
    "-",
    "$HOME",
    "*",
]


@pytest.mark.parametrize("where", ["inside", "around"])
def test_odd_names(place: Place, where: str) -> None:
    def act(here: Place) -> None:
        base = here.base
        if where == "around":
            base = here.folder.joinpath(*ODD[:8])
            base.mkdir(parents=True)
        for name in ODD:
            (base / name).write_text(name, errors="surrogateescape")
        state = here.folder / "st:a,te\\"
        with World.create(base, state, provider=here.provider) as world:
            child = world.root.fork("child")
            for name in ODD:
                os.rename(name, "moved", src_dir_fd=child.directory(), dst_dir_fd=child.directory())
                os.rename("moved", name, src_dir_fd=child.directory(), dst_dir_fd=child.directory())
                number = os.open(name, os.O_WRONLY | os.O_APPEND, dir_fd=child.directory())
                os.write(number, b"!")
                os.close(number)
            assert len(child.diff()) == len(ODD)
            child.merge()
            world.apply()
        assert all((base / name).read_bytes().endswith(b"!") for name in ODD)

    place.do(act)


@pytest.mark.skipif(not has_root(), reason="only root can mount here")
def test_a_mount_in_the_workspace_is_refused(place: Place) -> None:
    if not place.kind.endswith("root"):
        pytest.skip("root alone can make it")

    def act(here: Place) -> None:
        from eclogue.runtime.sandbox import syscalls

        (here.base / "m").mkdir()
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount(b"none", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)
        syscalls.mount(b"tmpfs", os.fsencode(here.base / "m"), b"tmpfs", 0)
        with pytest.raises(SandboxError, match="another file system is mounted"):
            here.create()

    place.do(act)


@pytest.mark.skipif(not has_root(), reason="only root can give files away")
def test_files_of_others_are_no_base_for_an_overlay_in_a_user_namespace(place: Place) -> None:
    (place.base / "theirs").write_text("x")
    os.chown(place.base / "theirs", 0, 0)

    def act(here: Place) -> None:
        if here.kind == "overlay-nobody":
            with pytest.raises(SandboxError, match="theirs belongs to somebody else"):
                here.create()

    place.do(act)


# ------------------------------------------------------------------------------------------------
# Kinds and metadata that the model does not have


def test_writing_one_name_of_a_file_with_two_leaves_the_other_and_is_said(place: Place) -> None:
    """An overlay breaks the link when it copies up; the diff says that there was one."""

    def act(here: Place) -> None:
        (here.base / "one").write_text("old")
        os.link(here.base / "one", here.base / "two")
        with here.create() as world:
            child = world.root.fork("child")
            write(child, "one", "new")
            assert read(child, "two") == "old"
            (change,) = child.diff()
            if here.provider == "overlay":
                assert change.before == "file 0644, 3 bytes, one of 2 names"
            child.merge()
            world.apply()
        assert ((here.base / "one").read_text(), (here.base / "two").read_text()) == ("new", "old")

    place.do(act)


def append(scope: Scope, path: str, count: int) -> None:
    """Append so many bytes to a file of a scope."""
    number = os.open(path, os.O_WRONLY | os.O_APPEND, dir_fd=scope.directory())
    try:
        for _ in range(count >> 20):
            os.write(number, b"x" * (1 << 20))
    finally:
        os.close(number)


@pytest.mark.skipif(not has_root(), reason="only root can mount a small disk")
def test_a_full_disk_is_an_error_and_the_parent_stays(place: Place) -> None:
    if not place.kind.endswith("root"):
        pytest.skip("root alone can make the small disk")

    def act(here: Place) -> None:
        from eclogue.runtime.sandbox import syscalls

        (here.base / "large").write_bytes(os.urandom(3 << 20))
        (here.base / "f").write_text("f")
        here.state.mkdir()
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount(b"none", b"/", b"", syscalls.MS_REC | syscalls.MS_PRIVATE)
        size = b"size=16m" if here.provider == "copy" else b"size=2m"
        syscalls.mount(b"tmpfs", os.fsencode(here.state), b"tmpfs", 0, size)
        before = tree(here.base)
        with here.create() as world:
            shown = world.root.manifest()
            child = world.root.fork("child")
            with pytest.raises(OSError, match="No space left"):
                append(child, "large", 64 << 20)
            assert world.root.manifest() == shown
            child.discard()
            write(world.root, "f", "small")
            world.root.freeze()
        assert tree(here.base) == before

    place.do(act)


@pytest.mark.skipif(not has_root(), reason="only root can become somebody else")
def test_layers_that_root_wrote_are_not_read_by_others(place: Place) -> None:
    """Their opaque folders would be overlooked, and old files would come back."""
    if place.kind != "overlay-root":
        pytest.skip("these layers are written by root")
    from support.users import as_nobody

    def fill_it(here: Place) -> None:
        with here.create() as world:
            write(world.root, "f", "1")
            world.root.freeze()

    def reopen(here: Place) -> str:
        try:
            World.reopen(here.state)
        except SandboxError as error:
            return error.message
        return ""

    place.do(fill_it)
    for path in (place.folder, place.state, place.state / "lock", place.state / "journal"):
        path.chmod(0o777)
    assert "only root can read them" in as_nobody(lambda: reopen(place))


def test_metadata_and_odd_kinds_survive_fork_merge_and_apply(place: Place) -> None:
    def act(here: Place) -> None:
        fill(here.base)
        os.setxattr(here.base / "f", "user.note", b"base")
        with here.create() as world:
            child = world.root.fork("child")
            view = child.directory()
            assert child.manifest()[b"f"].node.attributes == (("user.note", b"base"),)
            number = os.open("f", os.O_RDONLY, dir_fd=view)
            os.setxattr(number, "user.note", b"child")
            os.setxattr(number, "user.other", b"x" * 1000)
            os.close(number)
            os.symlink("/etc/passwd", "absolute", dir_fd=view)
            os.symlink("nowhere", "dangling", dir_fd=view)
            os.mkfifo("pipe", 0o600, dir_fd=view)
            os.mkdir("empty", 0o711, dir_fd=view)
            number = os.open("sparse", os.O_WRONLY | os.O_CREAT, 0o4755, dir_fd=view)
            os.pwrite(number, b"end", 1 << 24)
            os.close(number)
            os.chmod("sparse", 0o4755, dir_fd=view)
            os.utime("sparse", ns=(1, 1_234_567_890_123_456_789), dir_fd=view)
            wanted = child.manifest()
            child.merge()
            found = world.root.manifest()
            assert shape(found) == shape(wanted)
            assert found[b"sparse"].modified == 1_234_567_890_123_456_789
            world.apply()
        found = tree(here.base)
        assert shape(found) == shape(wanted)
        assert found[b"sparse"].modified == 1_234_567_890_123_456_789
        assert (here.base / "sparse").stat().st_blocks < 100

    place.do(act)


def test_a_scope_in_which_something_is_open_is_not_merged_by_half(place: Place) -> None:
    if place.provider == "copy":
        pytest.skip("a copy has no view that could be busy")

    def act(here: Place) -> None:
        fill(here.base)
        with here.create() as world:
            child = world.root.fork("child")
            number = os.open("f", os.O_WRONLY, dir_fd=child.directory())
            os.unlink("link", dir_fd=child.directory())
            before = world.root.manifest()
            with pytest.raises(SandboxError, match="busy"):
                child.merge()
            assert world.root.manifest() == before
            assert child.name in [scope.name for scope in world.scopes()]
            os.close(number)
            assert isinstance(child.merge(), Merged)
            assert "link" not in names(world.root)

    place.do(act)
