"""Programs that try to get out of a sandbox: each says what it found, and that it came to its end.

A program is run with one argument, the JSON form of `Treasure.given`. It prints a line `FOUND …` for each
attempt that worked, `refused …` for each that did not, and `DONE` at last. That a program which finds
nothing could have found something is tested by running it outside of a sandbox too: by somebody without
privileges, by root where it only looks, or by somebody in a user namespace of their own. Outside, programs
look at one process alone, which the test made; and nothing here does harm if it works.
"""

from __future__ import annotations

import attrs

PRELUDE = """
import ctypes, errno, json, os, signal, socket, stat, struct, sys
given = json.loads(sys.argv[1])
SCRATCH = "/tmp" if given["inside"] else given["folder"]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ARM = os.uname().machine == "aarch64"

def attempt(name, action):
    try:
        result = action()
    except (OSError, ValueError, KeyError) as error:
        print("refused", name, error, flush=True)
        return
    print("FOUND" if result else "nothing", name, result, flush=True)

def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True

def call(x86, arm, *arguments):
    passed = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    return checked(libc.syscall(ctypes.c_long(arm if ARM else x86), *passed))

def reads(path):
    with open(path, "rb") as file:
        return given["token"].encode() in file.read(1 << 20)

def pids():
    if not given["inside"]:
        return [str(given["pid"])]
    return [name for name in os.listdir("/proc") if name.isdigit()]
"""


@attrs.frozen
class Attack:
    """A program, and by whom it finds something when no sandbox holds it: `root`, `nobody`, `namespace`.

    The last is somebody without privileges in user, mount and pid namespaces of their own.
    """

    name: str
    text: str
    works_for: tuple[str, ...]

    def script(self) -> str:
        """Return the whole program."""
        return f'{PRELUDE}\n{self.text}\nprint("DONE")\n'


_PATHS = """
secret = given["folder"] + "/treasure"
attempt("absolute", lambda: reads(secret))
attempt("dots", lambda: reads("/workspace" + "/.." * 20 + secret))
attempt("relative dots", lambda: reads("../" * 40 + secret))
attempt("root of init", lambda: reads("/proc/1/root" + secret))
for link in ("made by the host", "relative"):
    attempt("link " + link, lambda: reads("link " + link))
def own_link():
    os.symlink("../" * 30 + secret, SCRATCH + "/link")
    return reads(SCRATCH + "/link")
attempt("own link", own_link)
def hard_link():
    os.link(secret, SCRATCH + "/hard")
    return reads(SCRATCH + "/hard")
attempt("hard link", hard_link)
for pid in pids():
    for part in ("root", "cwd", "cwd/../../../../../.."):
        attempt(f"{part} of {pid}", lambda: reads(f"/proc/{pid}/{part}{secret}"))
attempt("folder", lambda: "treasure" in os.listdir(given["folder"]))
"""

_WALK = """
name = os.path.basename(given["folder"])
hits = []
for top, folders, files in os.walk("/" if given["inside"] else os.path.dirname(given["folder"])):
    if top in ("/usr", "/proc", "/sys"):
        folders.clear()
    if name in folders or name in files:
        hits.append(top)
attempt("walk", lambda: hits)
"""

_DESCRIPTORS = """
def open_numbers():
    found = []
    for number in range(3, 4096):
        try:
            os.fstat(number)
        except OSError:
            continue
        try:
            found.append(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            found.append(number)
    return found
attempt("inherited", open_numbers)
attempt("stdin is the only file", lambda: [n for n in (0, 1, 2) if stat.S_ISDIR(os.fstat(n).st_mode)])
for pid in pids():
    if pid == str(os.getpid()):
        continue
    attempt(f"descriptors of {pid}", lambda: os.listdir(f"/proc/{pid}/fd"))
"""

_PROCESSES = """
for pid in {*pids(), str(given["pid"])}:
    for part in ("environ", "cmdline"):
        if int(pid) != os.getpid():
            attempt(f"{part} of {pid}", lambda: reads(f"/proc/{pid}/{part}"))
    if int(pid) != os.getpid():
        attempt(f"memory of {pid}", lambda: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR)) is None)
        attempt(f"maps of {pid}", lambda: open(f"/proc/{pid}/maps").read())
"""

_TRACING = """
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
def peek(pid):
    buffer = ctypes.create_string_buffer(64)
    here, there = Vector(ctypes.addressof(buffer), 64), Vector(given["address"], 64)
    checked(libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
    return True
for pid in {given["pid"], *((1, os.getppid()) if given["inside"] else ())}:
    attempt(f"seize {pid}", lambda: checked(libc.ptrace(0x4206, pid, None, None)))
    attempt(f"read {pid}", lambda: peek(pid))
    attempt(f"descriptor {pid}", lambda: call(438, 438, os.pidfd_open(pid), 0, 0))
child = os.fork()
if child == 0:
    os._exit(77 if libc.ptrace(0, 0, None, None) == 0 else 78)
attempt("a child traced", lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 77)
"""

_MOUNTS = """
def mount(source, target, kind, flags, options=None):
    return checked(libc.mount(source, target, kind, ctypes.c_ulong(flags), options))
def cloned(flags):
    child = libc.syscall(*(ctypes.c_long(item) for item in (220 if ARM else 56, flags | 17, 0, 0, 0, 0)))
    if child == 0:
        os._exit(0)
    return checked(child)
PLACE = (SCRATCH + "/place").encode()
os.makedirs(PLACE, exist_ok=True)
CLONES = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "cgroup": 0x2000000,
          "user and mount": 0x10020000}
for name, flags in CLONES.items():
    attempt("unshare " + name, lambda: checked(libc.unshare(flags)))
attempt("unshare time", lambda: checked(libc.unshare(0x80)))
for name, flags in CLONES.items():
    attempt("clone " + name, lambda: cloned(flags))
attempt("clone3", lambda: call(435, 435, struct.pack("=11Q", 0x10000000, *[0] * 3, 17, *[0] * 6), 88))
attempt("tmpfs", lambda: mount(b"none", PLACE, b"tmpfs", 0))
attempt("proc", lambda: mount(b"none", PLACE, b"proc", 0))
attempt("sysfs", lambda: mount(b"none", PLACE, b"sysfs", 0))
attempt("bind", lambda: mount(b"/", PLACE, None, 0x1000))
attempt("usr writable", lambda: mount(None, b"/usr", None, 0x20 | 0x1000))
attempt("proc writable", lambda: mount(None, b"/proc", None, 0x20))
for place in (b"/usr", b"/proc", b"/proc/keys", b"/workspace", b"/", b"/tmp", b"/etc/passwd"):
    attempt(b"umount " + place, lambda: checked(libc.umount2(place, 2)))
attempt("pivot_root", lambda: call(155, 41, SCRATCH.encode(), PLACE))
attempt("chroot", lambda: os.chroot(SCRATCH))
attempt("open_tree", lambda: call(428, 428, -100, b"/", 1))
attempt("fsopen", lambda: call(430, 430, b"tmpfs", 0))
attempt("mount_setattr", lambda: call(442, 442, -100, b"/usr", 0, struct.pack("=4Q", 0, 1, 0, 0), 32))
attempt("move_mount", lambda: call(429, 429, -100, b"/usr", -100, PLACE, 0))
for kind in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"):
    attempt("setns " + kind, lambda: checked(libc.setns(os.open("/proc/1/ns/" + kind, os.O_RDONLY), 0)))
attempt("handle", lambda: call(304, 265, -100, struct.pack("=Ii8s", 8, 1, b"\\x02" + bytes(7)), 0))
"""

_NODES = """
for name, kind, major, minor in (("disk", stat.S_IFBLK, 8, 0), ("vda", stat.S_IFBLK, 254, 0),
                                 ("mem", stat.S_IFCHR, 1, 1), ("kmsg", stat.S_IFCHR, 1, 11)):
    for folder in ("/workspace/", "/tmp/", "/dev/shm/"):
        def make():
            os.mknod(folder + name, kind | 0o666, os.makedev(major, minor))
            os.unlink(folder + name)
            return True
        attempt("mknod " + folder + name, make)
for name in ("mem", "kmsg", "kvm", "fuse", "vda", "sda", "loop-control", "net/tun", "tty", "console",
             "vsock", "port", "cpu_dma_latency", "uinput", "input/event0", "dri/card0", "userfaultfd"):
    attempt("open " + name, lambda: os.close(os.open("/dev/" + name, os.O_RDWR)) is None)
attempt("device of the host", lambda: open("/workspace/node", "rb").read(10))
"""

_NETWORK = """
def connects(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as end:
        end.settimeout(2)
        end.connect(address)
        return True
attempt("loopback", lambda: connects(socket.AF_INET, ("127.0.0.1", given["port"])))
attempt("any address", lambda: connects(socket.AF_INET, ("0.0.0.0", given["port"])))
attempt("abstract", lambda: connects(socket.AF_UNIX, "\\0" + given["abstract"]))
attempt("path", lambda: connects(socket.AF_UNIX, given["folder"] + "/socket"))
for place in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"):
    attempt(place, lambda: connects(socket.AF_UNIX, place))
attempt("out", lambda: connects(socket.AF_INET, ("192.0.2.1", 9), socket.SOCK_DGRAM))
attempt("out, version 6", lambda: connects(socket.AF_INET6, ("2001:db8::1", 9), socket.SOCK_DGRAM))
attempt("other interfaces", lambda: [name for _, name in socket.if_nameindex() if name != "lo"])
"""

_RAW = """
for name, family, kind in (("raw", socket.AF_INET, socket.SOCK_RAW), ("packet", 17, socket.SOCK_RAW),
                           ("vsock", 40, socket.SOCK_STREAM), ("alg", 38, socket.SOCK_SEQPACKET),
                           ("bluetooth", 31, socket.SOCK_RAW), ("key", 15, socket.SOCK_RAW),
                           ("can", 29, socket.SOCK_RAW), ("xdp", 44, socket.SOCK_RAW)):
    attempt(name, lambda: socket.socket(family, kind, 1 if name == "raw" else 0))
"""

_SIGNALS = """
attempt("there", lambda: os.kill(given["pid"], 0) is None)
attempt("killed", lambda: os.kill(given["pid"], signal.SIGUSR1) is None)
attempt("queued", lambda: call(129, 138, given["pid"], signal.SIGUSR1, bytes(128)))
attempt("group", lambda: os.killpg(os.getpgid(given["pid"]), signal.SIGUSR1) is None)
attempt("priority", lambda: os.getpriority(os.PRIO_PROCESS, given["pid"]) is not None)
attempt("limits", lambda: __import__("resource").prlimit(given["pid"], 7))
if given["inside"]:
    for name in ("KILL", "STOP", "TERM", "INT", "CHLD", "USR1"):
        attempt(name, lambda: os.kill(1, getattr(signal, "SIG" + name)) and os.waitpid(1, 0))
    attempt("everybody", lambda: os.kill(-1, signal.SIGCONT))
"""

_IDENTITY = """
for name, change in (("setuid", os.setuid), ("setgid", os.setgid), ("seteuid", os.seteuid)):
    for number in (0, 65534, 1):
        attempt(f"{name} {number}", lambda: change(number) is None)
attempt("groups", lambda: os.setgroups([0]) is None)
for name in ("uid_map", "gid_map", "setgroups"):
    attempt(name, lambda: open("/proc/self/" + name, "wb", buffering=0).write(b"0 0 1"))
with open("/proc/self/status") as file:
    status = dict(line.rstrip().partition(":\\t")[::2] for line in file)
attempt("capabilities", lambda: [status[x] for x in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")
                                 if int(status[x], 16)])
attempt("new privileges", lambda: status["NoNewPrivs"] == "0")
attempt("no filter", lambda: status["Seccomp"] != "2" and given["filtered"])
attempt("dumpable init", lambda: os.getppid() == 1 and os.access("/proc/1/fd", os.R_OK))
"""

_SET_ID = """
with open("/workspace/own" if given["inside"] else given["folder"] + "/own", "w") as file:
    path = file.name
def mode_of(action):
    action()
    return os.stat(path).st_mode & 0o6000
for bits in (0o4755, 0o2755, 0o6755):
    attempt("chmod", lambda: mode_of(lambda: os.chmod(path, bits)))
    attempt("fchmod", lambda: mode_of(lambda: os.fchmod(os.open(path, os.O_RDWR), bits)))
    attempt("fchmodat", lambda: mode_of(lambda: call(268, 53, -100, path.encode(), bits)))
    attempt("fchmodat2", lambda: mode_of(lambda: call(452, 452, -100, path.encode(), bits, 0)))
def made(bits):
    os.unlink(path)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, bits))
attempt("open", lambda: mode_of(lambda: made(0o4755)))
def node():
    os.unlink(path)
    os.mknod(path, stat.S_IFREG | 0o4755)
attempt("mknod", lambda: mode_of(node))
"""

_SYSTEM = """
NEW = "/eclogue-new"
for path in ("/etc/passwd", "/etc/ld.so.cache", "/usr/bin/env", "/proc/sys/kernel/core_pattern",
             "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
             "/proc/sys/vm/drop_caches", "/proc/1/oom_score_adj", "/proc/1/comm",
             "/proc/sys/kernel/pid_max", "/proc/sys/user/max_user_namespaces",
             given["folder"] + "/treasure",
             *(folder + NEW for folder in ("", "/etc", "/usr", "/bin", "/dev", "/sys", "/proc"))):
    for flags in (os.O_WRONLY, os.O_WRONLY | os.O_CREAT):
        attempt("write " + path, lambda: os.close(os.open(path, flags, 0o644)) is None)
for path in ("/etc/passwd", "/usr/bin/env", "/usr", given["folder"] + "/treasure"):
    # Each of these leaves everything as it is, and is refused where the mount is read-only all the same.
    attempt("rename " + path, lambda: os.rename(path, path) is None)
    attempt("mode " + path, lambda: os.chmod(path, os.stat(path).st_mode & 0o777) is None)
    attempt("owner " + path, lambda: os.chown(path, -1, -1) is None)
    def touch():
        os.utime(path, ns=(os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns))
        return True
    attempt("times " + path, touch)
"""

_LOOK = """
def look(path):
    return os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(64)
for path in ("/sys", "/run", "/var", "/root", "/home", "/boot", "/mnt", "/media", "/opt", "/srv",
             "/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers",
             "/etc/environment", "/etc/gitconfig", "/etc/machine-id", "/proc/kcore", "/proc/kmsg",
             given["folder"]):
    attempt("look at " + path, lambda: look(path))
for path in ("/proc/keys", "/proc/key-users", "/proc/timer_list"):
    attempt("read " + path, lambda: open(path, "rb").read(4096))
with open("/proc/kallsyms") as file:
    attempt("addresses", lambda: int(file.readline().split()[0], 16))
"""

_KERNEL = """
key = lambda *a: call(248, 217, b"user", b"name", b"payload", 7, -3)
attempt("add_key", key)
attempt("session keyring", lambda: call(250, 219, 0, -3, 0))
attempt("request_key", lambda: call(249, 218, b"user", b"name", None, -3))
attempt("bpf", lambda: call(321, 280, 0, struct.pack("=5I44x", 1, 4, 4, 1, 0), 64))
attempt("perf", lambda: call(298, 241, struct.pack("=II", 1, 112) + bytes(104), 0, -1, -1, 0))
attempt("userfaultfd", lambda: call(323, 282, 1))
attempt("io_uring", lambda: call(425, 425, 1, ctypes.create_string_buffer(120)))
attempt("module", lambda: call(313, 273, 0, b"", 0))
attempt("kexec", lambda: call(246, 104, 0, 0, None, 0))
attempt("reboot", lambda: call(169, 142, 0, 0, 0, None))
attempt("swapon", lambda: call(167, 224, b"/workspace/x", 0))
attempt("time", lambda: __import__("time").clock_settime(0, __import__("time").time()) is None)
attempt("host name", lambda: socket.sethostname(os.uname().nodename) is None)
attempt("log", lambda: call(103, 116, 3, ctypes.create_string_buffer(64), 64))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -10) is None)
attempt("typing for others", lambda: not __import__("fcntl").ioctl(os.openpty()[1], 0x5412, b"x"))
attempt("accounting", lambda: call(163, 89, b"/dev/null"))
"""

_SHARED = """
def queue_names():
    return [name for name in os.listdir("/dev/mqueue")]
attempt("message queues", queue_names)
attempt("shared memory", lambda: reads("/dev/shm/" + os.path.basename(given["folder"])))
libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
attempt("segment", lambda: checked(libc.shmget(given["segment"], 64, 0)))
"""

_SECRETS = """
attempt("environment", lambda: [v for v in os.environ.values() if given["token"] in v])
attempt("arguments of others", lambda: [p for p in pids() if int(p) != os.getpid()
                                        and open(f"/proc/{p}/cmdline", "rb").read().strip(b"\\0")])
attempt("controller's name", lambda: os.uname().nodename == given["nodename"])
attempt("terminal", lambda: os.open("/dev/tty", os.O_RDWR))
attempt("cgroup", lambda: [line for line in open("/proc/self/cgroup") if line.rstrip()[-1] != "/"])
"""

ATTACKS = (
    Attack("paths", _PATHS, ("root", "nobody")),
    Attack("walk", _WALK, ("root", "nobody")),
    Attack("descriptors", _DESCRIPTORS, ("root", "nobody")),
    Attack("processes", _PROCESSES, ("root", "nobody")),
    Attack("tracing", _TRACING, ("root", "nobody")),
    Attack("mounts", _MOUNTS, ("namespace",)),
    Attack("nodes", _NODES, ("root",)),
    Attack("network", _NETWORK, ("root", "nobody")),
    Attack("raw sockets", _RAW, ("root",)),
    Attack("signals", _SIGNALS, ("root", "nobody")),
    Attack("identity", _IDENTITY, ("nobody",)),
    Attack("set-user-ID files", _SET_ID, ("root", "nobody")),
    Attack("the system's files", _SYSTEM, ("nobody",)),
    Attack("folders of the host", _LOOK, ("nobody",)),
    Attack("interfaces of the kernel", _KERNEL, ("nobody",)),
    Attack("shared memory", _SHARED, ("root", "nobody")),
    Attack("secrets", _SECRETS, ("root", "nobody")),
)
