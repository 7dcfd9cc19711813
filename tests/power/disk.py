"""The state of a folder after the power fails, computed from the journal that shim.c keeps.

Only what was synced is sure to be there: bytes of a file and its length by a sync of the file, names
by a sync of their folder, which a sync of the file does not replace. Of everything else, sector by
sector and name by name, anything may be there, in any order.
"""

import fcntl
import mmap
import os
import pathlib
import shutil
import signal
import stat
import struct
import subprocess

SHIM = pathlib.Path(__file__).resolve().parent / "shim.c"
SECTOR_SIZE = 512
# struct record and enum kind of shim.c.
RECORD = struct.Struct("<IIQQII")
CREATE, MAKE_DIR, WRITE, RESIZE, RENAME, REMOVE, SYNC_BEGUN, SYNC_DONE, SYNC_FAILED = range(1, 10)
# struct control.
CONTROL = struct.Struct("<qII48s")
UNLIMITED = -1


def build(folder):
    """Compiles the shim; returns the library file."""
    shim = folder / "shim.so"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-O1", "-Wall", "-shared", "-fPIC", "-o", shim, SHIM], check=True
    )
    return shim


class Disk:
    """A folder that processes started with `env` work in, and its durable part."""

    def __init__(self, folder, journal_dir, shim):
        self.folder = folder
        self.journal = journal_dir / "journal"
        self.env = os.environ | {
            "POWER_ROOT": str(folder),
            "POWER_DIR": str(journal_dir),
            "LD_PRELOAD": str(shim),
        }
        self.journal.touch()
        with open(journal_dir / "control", "w+b") as file:
            file.write(CONTROL.pack(UNLIMITED, 0, 0, b""))
            file.flush()
            self.control = mmap.mmap(file.fileno(), CONTROL.size)
        self.model = Model(folder)

    def set_free(self, count):
        """Sets the bytes by which files may still grow."""
        with Locked(self.journal):
            self.control[:8] = struct.pack("<q", count)

    def fail_sync(self, number, name):
        """Makes the sync of that number fail, counted over files with this text in their names."""
        with Locked(self.journal):
            self.control[8:12] = struct.pack("<I", number)
            self.control[16:] = struct.pack("<48s", name.encode())

    def kill_at(self, number):
        """Kills the process that writes the record of that number; 0 kills none."""
        with Locked(self.journal):
            self.control[12:16] = struct.pack("<I", number)

    def has_failed_sync(self):
        # A record is there as a whole, or not at all, to the holder of the lock only.
        with Locked(self.journal):
            journal = self.journal.read_bytes()
        return any(kind == SYNC_FAILED for kind, *_ in records(journal))

    def kill(self, process):
        """Kills the process and its children; the journal shows what they left."""
        with Locked(self.journal):
            kill_group(process)
        self.replay()

    def replay(self):
        """Reads the journal. All processes must have ended."""
        self.model.apply(self.journal.read_bytes())
        self.journal.write_bytes(b"")
        self.model.compare(self.folder)

    def cut_power(self, chance):
        """Leaves in the folder a state that it may have when the power is back: without chance, nothing
        that was not synced."""
        if chance:
            self.model.lose_power(chance)
        for entry in self.folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        self.model.write(self.folder)
        self.model = Model(self.folder)


def kill_group(process):
    """The process must be the leader of its group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Locked:
    """The lock under which the shim makes and records each change."""

    def __init__(self, journal):
        self.journal = journal

    def __enter__(self):
        self.file = open(self.journal, "rb")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


class File:
    def __init__(self, mode, content=b""):
        self.mode = mode
        self.cached = bytearray(content)  # what reads return
        self.durable = bytearray(content)
        self.unsynced = []  # (number, offset, sector) or (number, size, None)
        self.syncs = {}  # under way -> number of the last change before it


class Folder:
    def __init__(self, mode):
        self.mode = mode
        self.cached = {}  # name -> File or Folder
        self.durable = {}
        self.syncs = {}


class Rename:
    """A name that a file or folder loses, and one that it gets; either may be None."""

    def __init__(self, number, node, source, target):
        self.number = number
        self.node = node
        self.source = source  # (folder, name)
        self.target = target
        # It is durable when all of them have been synced.
        self.to_sync = {place[0] for place in (source, target) if place}

    def apply(self, view):
        if self.source:
            folder, name = self.source
            names = getattr(folder, view)
            if names.get(name) is self.node:
                del names[name]
        if self.target:
            folder, name = self.target
            getattr(folder, view)[name] = self.node


def is_watched(entry):
    """As the shim does."""
    return entry.is_dir() or (entry.is_file() and not entry.name.endswith("-shm"))


class Model:
    def __init__(self, folder):
        """Makes the present state durable."""
        self.by_inode = {}
        self.renames = []  # not durable yet
        self.number = 0
        self.root = self.load(folder)

    def load(self, path):
        status = os.stat(path)
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            node = Folder(mode)
            for entry in os.scandir(path):
                if is_watched(entry):
                    node.durable[entry.name] = node.cached[entry.name] = self.load(entry.path)
        else:
            node = File(mode, pathlib.Path(path).read_bytes())
        self.by_inode[status.st_ino] = node
        return node

    def apply(self, journal):
        for kind, inode, offset, mode, path, content in records(journal):
            self.number += 1
            node = self.by_inode.get(inode)
            if kind in (CREATE, MAKE_DIR):
                node = self.by_inode[inode] = File(mode) if kind == CREATE else Folder(mode)
                self.rename(node, None, self.place(path))
            elif kind == RENAME:
                source, target = path.split(b"\0")
                self.rename(node, self.place(source), self.place(target))
            elif kind == REMOVE:
                self.rename(node, self.place(path), None)
            elif kind == WRITE:
                put(node.cached, offset, content)
                for start, sector in sectors(offset, content):
                    node.unsynced.append((self.number, start, sector))
            elif kind == RESIZE:
                resize(node.cached, offset)
                node.unsynced.append((self.number, offset, None))
            elif kind == SYNC_BEGUN:
                node.syncs[offset] = self.number
            else:
                self.end_sync(node, node.syncs.pop(offset), kind == SYNC_DONE)

    def place(self, path):
        *folders, name = path.decode().split("/")
        folder = self.root
        for part in folders:
            folder = folder.cached[part]
        return folder, name

    def rename(self, node, source, target):
        rename = Rename(self.number, node, source, target)
        rename.apply("cached")
        self.renames.append(rename)

    def end_sync(self, node, covered, is_done):
        """Drops the changes of a failed sync: the system takes them for written, and never writes them."""
        if isinstance(node, File):
            if is_done:
                for number, at, sector in node.unsynced:
                    if number <= covered:
                        change(node.durable, at, sector)
            node.unsynced = [change for change in node.unsynced if change[0] > covered]
            return
        assert is_done, "the shim fails no sync of a folder"
        for rename in self.renames:
            if rename.number <= covered:
                rename.to_sync.discard(node)
                if not rename.to_sync:
                    rename.apply("durable")
        self.renames = [rename for rename in self.renames if rename.to_sync]

    def compare(self, path, node=None):
        """Checks the journal against the folder: a difference is a change that the shim missed."""
        node = node or self.root
        found = {entry.name for entry in os.scandir(path) if is_watched(entry)}
        assert found == node.cached.keys(), f"{path}: {found} and not {set(node.cached)}"
        for name, inner in node.cached.items():
            if isinstance(inner, Folder):
                self.compare(path / name, inner)
            else:
                assert (path / name).read_bytes() == inner.cached, f"{path / name} was changed unseen"

    def lose_power(self, chance):
        """Draws for each file how much was written without a sync, from nothing to all."""
        kept = chance.choice((0, 0.5, 0.9, 1))
        for rename in self.renames:
            if chance.random() < kept:
                rename.apply("durable")
        for node in self.by_inode.values():
            if isinstance(node, Folder):
                continue
            kept = chance.choice((0, 0.1, 0.5, 0.9, 1))
            for _, at, sector in node.unsynced:
                if chance.random() < kept:
                    change(node.durable, at, sector)
                elif sector and chance.random() < kept:
                    # The length was written, the bytes were not.
                    resize(node.durable, max(len(node.durable), at + len(sector)))

    def write(self, path, node=None):
        for name, inner in (node or self.root).durable.items():
            target = path / name
            if isinstance(inner, Folder):
                target.mkdir()
                self.write(target, inner)
            else:
                target.write_bytes(inner.durable)
            target.chmod(inner.mode)


def records(journal):
    at = 0
    while at < len(journal):
        size, kind, inode, offset, mode, path_size = RECORD.unpack_from(journal, at)
        path_end = at + RECORD.size + path_size
        path, content = journal[at + RECORD.size : path_end], journal[path_end : at + size]
        yield kind, inode, offset, mode, path, content
        at += size


def sectors(offset, content):
    """A disk writes sectors one by one."""
    start = 0
    while start < len(content):
        end = start + SECTOR_SIZE - (offset + start) % SECTOR_SIZE
        yield offset + start, content[start:end]
        start = end


def change(content, at, sector):
    if sector is None:
        resize(content, at)
    else:
        put(content, at, sector)


def put(content, offset, written):
    if len(content) < offset:
        resize(content, offset)
    content[offset : offset + len(written)] = written


def resize(content, size):
    del content[size:]
    content.extend(bytes(size - len(content)))
