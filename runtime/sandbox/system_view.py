"""The root that a process in a sandbox sees: the workspace over a read-only part of this system.

/workspace      the view, writable; set-user-ID bits and device nodes have no effect
/usr /bin …     the system's programs and libraries, read-only
/etc            only what programs need to start: names, certificates, the loader's cache; read-only
/proc           of the sandbox's own processes (its init does not show), read-only as a whole
/dev            null, zero, full, random, urandom, a private shm and private terminals
/tmp            private, empty, of bounded size, gone at the end; the home folder too

Nothing else of the host is there: no home folders, no /run, /var, /sys, /root, /opt, no sockets of
services. Paths that the caller names as `readable` are added, read-only, at the place that they have on
the host.
"""

from __future__ import annotations

import errno
import os
import stat

import attrs

from eclogue.runtime.sandbox import syscalls
from eclogue.runtime.sandbox.messages import Stage
from eclogue.runtime.sandbox.syscalls import (
    AT_EMPTY_PATH,
    AT_FDCWD,
    AT_RECURSIVE,
    MOUNT_ATTR_NODEV,
    MOUNT_ATTR_NOSUID,
    MOUNT_ATTR_RDONLY,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_REC,
    OPEN_TREE_CLONE,
)

WORKSPACE = b"/workspace"
INNER_ID = 1000
"""The user and group that a process has inside; outside it is whoever runs the sandbox."""
HOST_NAME = "sandbox"

_SYSTEM = (b"usr", b"bin", b"sbin", b"lib", b"lib64", b"lib32", b"libx32")
_DEVICES = (b"null", b"zero", b"full", b"random", b"urandom")
_ETC = (
    b"alternatives", b"fonts", b"ld.so.cache", b"localtime", b"mime.types", b"os-release", b"pki/ca-trust",
    b"pki/tls/certs", b"protocols", b"services", b"ssl/certs", b"ssl/openssl.cnf", b"terminfo", b"timezone",
)  # fmt: skip
_PREFIXES = (b"java", b"perl", b"python")
_WITH_NETWORK = (b"resolv.conf", b"hosts", b"nsswitch.conf")
_WRITTEN = {
    b"passwd": b"root:x:0:0::/:/bin/sh\nagent:x:%d:%d::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
    % (INNER_ID, INNER_ID),
    b"group": b"root:x:0:\nagent:x:%d:\nnogroup:x:65534:\n" % INNER_ID,
    b"hostname": HOST_NAME.encode() + b"\n",
}
_ALONE = {
    b"hosts": b"127.0.0.1 localhost " + HOST_NAME.encode() + b"\n::1 localhost\n",
    b"nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
}
_DEFAULT_SCRATCH = 1 << 30


@attrs.frozen
class _Shown:
    """Something of the host that is to be seen inside: a detached copy of its mount, or a link's text."""

    path: bytes
    tree: int | None
    link: bytes
    folder: bool


def enter_view(
    *, network: bool, readable: tuple[bytes, ...], scratch: int | None, most_processes: int | None
) -> None:
    """Make the root described above from the current directory (the view), and change into it.

    For the first process of new user, mount and pid namespaces. `scratch` bounds /tmp and /dev/shm, in
    bytes.
    """
    syscalls.mount(b"", b"/", b"", MS_REC | MS_PRIVATE)
    workspace = _workspace()
    syscalls.mount_setattr(
        workspace, b"", AT_EMPTY_PATH | AT_RECURSIVE, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV
    )
    devices = [_shown(b"dev/" + name) for name in _DEVICES]
    system = [_shown(name) for name in (*_SYSTEM, *_etc(network))]
    added = [_named(path.strip(b"/")) for path in readable]
    _new_root()
    for item in system:
        _place(item, read_only=True)
    for item in devices:
        _place(item, read_only=False)
    _files(network)
    _private_mounts(scratch, most_processes)
    for item in added:
        _place(item, read_only=True)
    os.mkdir(WORKSPACE[1:])
    syscalls.move_mount(workspace, AT_FDCWD, WORKSPACE[1:])
    os.close(workspace)
    _leave_the_host()


def _workspace() -> int:
    """Return a copy of the mounts of the current directory, which must be a mount of this namespace."""
    try:
        return syscalls.open_tree(AT_FDCWD, b".", OPEN_TREE_CLONE | AT_RECURSIVE)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise Stage("elsewhere", error) from None


def _etc(network: bool) -> list[bytes]:
    names = [*_ETC, *(_WITH_NETWORK if network else ())]
    names += sorted(name for name in os.listdir(b"/etc") if name.startswith(_PREFIXES))
    return [b"etc/" + name for name in names]


def _shown(path: bytes) -> _Shown | None:
    """Take hold of a path of the host; None if it is not there, or not for everybody to read."""
    place = b"/" + path
    try:
        found = os.lstat(place)
        if stat.S_ISLNK(found.st_mode) and path != b"etc/resolv.conf":
            return _Shown(path, None, os.readlink(place), False)
        found = os.stat(place)
        if not stat.S_IMODE(found.st_mode) & 0o004:
            return None
        tree = syscalls.open_tree(AT_FDCWD, place, OPEN_TREE_CLONE | AT_RECURSIVE)
    except FileNotFoundError:
        return None
    return _Shown(path, tree, b"", stat.S_ISDIR(found.st_mode))


def _named(path: bytes) -> _Shown:
    """Take hold of a path that was asked for, where a link leads."""
    tree = syscalls.open_tree(AT_FDCWD, b"/" + path, OPEN_TREE_CLONE | AT_RECURSIVE)
    return _Shown(path, tree, b"", stat.S_ISDIR(os.fstat(tree).st_mode))


def _new_root() -> None:
    # What is needed of the host is held by descriptors, so any folder that exists may be covered.
    syscalls.mount(b"tmpfs", b"/usr", b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=755,size=1m")
    os.chdir(b"/usr")


def _place(item: _Shown | None, *, read_only: bool) -> None:
    if item is None:
        return
    parent = os.path.dirname(item.path)
    if parent:
        os.makedirs(parent, exist_ok=True)
    if item.tree is None:
        os.symlink(item.link, item.path)
        return
    if item.folder:
        os.makedirs(item.path, exist_ok=True)
    else:
        os.close(os.open(item.path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    if read_only:
        attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV
        syscalls.mount_setattr(item.tree, b"", AT_EMPTY_PATH | AT_RECURSIVE, attributes)
    syscalls.move_mount(item.tree, AT_FDCWD, item.path)
    os.close(item.tree)


def _files(network: bool) -> None:
    for name, text in {**_WRITTEN, **({} if network else _ALONE)}.items():
        descriptor = os.open(b"etc/" + name, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
        os.write(descriptor, text)
        os.close(descriptor)
    for name, target in ((b"fd", b""), (b"stdin", b"/0"), (b"stdout", b"/1"), (b"stderr", b"/2")):
        os.symlink(b"/proc/self/fd" + target, b"dev/" + name)
    os.symlink(b"pts/ptmx", b"dev/ptmx")


def _private_mounts(scratch: int | None, most_processes: int | None) -> None:
    for name in (b"tmp", b"dev/shm", b"dev/pts", b"proc"):
        os.mkdir(name)
    size = b"mode=1777,size=%d" % (scratch or _DEFAULT_SCRATCH)
    syscalls.mount(b"tmpfs", b"tmp", b"tmpfs", MS_NOSUID | MS_NODEV, size)
    syscalls.mount(b"tmpfs", b"dev/shm", b"tmpfs", MS_NOSUID | MS_NODEV, size)
    syscalls.mount(
        b"devpts", b"dev/pts", b"devpts", MS_NOSUID | MS_NOEXEC, b"newinstance,ptmxmode=0666,mode=620"
    )
    hiding = b"hidepid=ptraceable"
    syscalls.mount(b"proc", b"proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, hiding)
    _set(b"proc/sys/user/max_user_namespaces", 0)
    if most_processes is not None:
        _set(b"proc/sys/kernel/pid_max", max(301, most_processes + 302))
    for name in (b"proc/keys", b"proc/key-users", b"proc/timer_list"):
        _cover(name)
    syscalls.mount_setattr(AT_FDCWD, b"proc", 0, MOUNT_ATTR_RDONLY)


def _set(path: bytes, number: int) -> None:
    """Set a limit of the kernel for these namespaces; older kernels do not have all of them."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(descriptor, b"%d" % number)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _cover(path: bytes) -> None:
    """Let a file of /proc be empty."""
    try:
        tree = syscalls.open_tree(AT_FDCWD, b"dev/null", OPEN_TREE_CLONE)
        syscalls.move_mount(tree, AT_FDCWD, path)
        os.close(tree)
    except FileNotFoundError:
        return


def _leave_the_host() -> None:
    syscalls.mount_setattr(AT_FDCWD, b".", 0, MOUNT_ATTR_RDONLY)
    syscalls.pivot_root(b".", b".")
    syscalls.unmount(b".", syscalls.MNT_DETACH)
    os.chdir(b"/")
