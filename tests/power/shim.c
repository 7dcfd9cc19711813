/* Writes down what a process changes on disk, in a journal from which disk.py tells what could be
 * left of it if the power failed. It also lets a disk be full, a sync fail, and the
 * process be killed.
 *
 *     cc -shared -fPIC -o shim.so shim.c
 *     POWER_ROOT=folder-to-watch POWER_DIR=folder-of-the-journal LD_PRELOAD=shim.so program …
 *
 * Every change of a regular file or a folder below POWER_ROOT is carried out as always, and then
 * appended to POWER_DIR/journal, both under one lock (flock of the journal, so that it holds between
 * processes). Whoever takes this lock and then kills the program with SIGKILL finds a journal that
 * says exactly what the folder holds. A sync is written down when it begins and when it has
 * returned: what was written in between is not covered by it. Nothing is locked while it is under way.
 *
 * POWER_DIR/control is shared memory (struct control), for the test to say what fails.
 *
 * Calls that could change something below POWER_ROOT and are not known here abort the program. That
 * none is forgotten is found by disk.py, which compares journal and folder after each kill.
 *
 * Known limits: glibc on Linux. Modes, times and sockets are not written down. A forked child may
 * change nothing. A full disk is one whose files cannot grow; names always find room. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The call itself, of the C library. */
#define REAL(name) ((__typeof__(&name))real(#name))

enum kind { CREATE = 1, MAKE_DIR, WRITE, RESIZE, RENAME, REMOVE, SYNC_BEGUN, SYNC_DONE, SYNC_FAILED };

/* Followed by the path, relative to the root (for RENAME two, a zero between them), and by what was
 * written. disk.py reads it. */
struct record {
    uint32_t size; /* of all of it */
    uint32_t kind;
    uint64_t inode;
    uint64_t offset; /* of RESIZE the new size, of syncs a number that joins beginning and end */
    uint32_t mode;
    uint32_t path_size;
};

struct control {
    int64_t free_bytes;       /* by which files may still grow; negative: as many as they like */
    uint32_t syncs_to_failure; /* 1: the next sync of a file named so fails; 0: none */
    uint32_t records_to_kill; /* 1: the next record is the last that its writer lives to see; 0: none */
    char sync_name[48];       /* part of the file's name */
};

static char root[PATH_MAX];
static size_t root_size; /* 0: nothing is watched */
static int journal = -1;
static struct control *control;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_child;
static uint64_t syncs;

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        dprintf(2, "power shim: the C library has no %s\n", name);
        abort();
    }
    return found;
}

static void refuse(const char *call, const char *path) {
    dprintf(2, "power shim: %s of %s is not known to tests/power/shim.c: teach it\n", call, path);
    abort();
}

static void fork_child(void) { is_child = 1; }

__attribute__((constructor)) static void begin(void) {
    const char *watched = getenv("POWER_ROOT"), *dir = getenv("POWER_DIR");
    char path[PATH_MAX];
    if (!watched || !dir) return;
    if (!realpath(watched, root)) refuse("watching", watched);
    snprintf(path, sizeof path, "%s/journal", dir);
    journal = REAL(open64)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (journal < 0) refuse("opening", path);
    snprintf(path, sizeof path, "%s/control", dir);
    int fd = REAL(open64)(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) refuse("opening", path);
    control = REAL(mmap64)(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (control == MAP_FAILED) refuse("mapping", path);
    close(fd);
    pthread_atfork(NULL, NULL, fork_child);
    root_size = strlen(root);
}

static void lock(void) {
    if (is_child) refuse("a change by a forked child", root);
    pthread_mutex_lock(&mutex);
    while (flock(journal, LOCK_EX) < 0)
        if (errno != EINTR) refuse("locking", "the journal");
}

static void unlock(void) {
    int error = errno;
    flock(journal, LOCK_UN);
    pthread_mutex_unlock(&mutex);
    errno = error;
}

static void put(enum kind kind, uint64_t inode, uint64_t offset, uint32_t mode, const char *path,
                size_t path_size, const void *bytes, size_t size) {
    struct record record = {sizeof record + path_size + size, kind, inode, offset, mode, path_size};
    struct iovec parts[] = {{&record, sizeof record}, {(char *)path, path_size}, {(void *)bytes, size}};
    int error = errno;
    if (REAL(writev)(journal, parts, 3) != (ssize_t)record.size) refuse("writing", "the journal");
    if (control->records_to_kill && --control->records_to_kill == 0) raise(SIGKILL);
    errno = error;
}

/* What SQLite's readers and its writer share in memory has a name, but is never read again after a
 * crash. So it is not watched. */
static int is_shared_memory(const char *path) {
    size_t size = strlen(path);
    return size > 4 && !strcmp(path + size - 4, "-shm");
}

/* The path below the root, "" for the root itself; NULL for what lies elsewhere. */
static const char *below(const char *path) {
    if (!root_size || strncmp(path, root, root_size) || is_shared_memory(path)) return NULL;
    if (path[root_size] == '\0') return path + root_size;
    return path[root_size] == '/' ? path + root_size + 1 : NULL;
}

/* The same for an open file or folder. One that was removed is "… (deleted)", and below, too. */
static const char *below_fd(int fd, char *path) {
    char link[32];
    int error = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    errno = error;
    if (size < 0) return NULL;
    path[size] = '\0';
    return below(path);
}

/* The same for a name that need not be there yet: its folder is resolved, the last part is not. */
static const char *below_at(int dir, const char *name, char *path) {
    char joined[2 * PATH_MAX], at[PATH_MAX];
    int error = errno;
    if (!root_size || !name) return NULL;
    if (name[0] == '/' || dir == AT_FDCWD) {
        snprintf(joined, sizeof joined, "%s%s", name[0] == '/' ? "" : "./", name);
    } else {
        below_fd(dir, at);
        snprintf(joined, sizeof joined, "%s/%s", at, name);
    }
    size_t end = strlen(joined);
    while (end > 1 && joined[end - 1] == '/') joined[--end] = '\0';
    char *last = strrchr(joined, '/');
    *last++ = '\0';
    const char *folder = realpath(joined[0] ? joined : "/", path);
    errno = error;
    if (!folder) return NULL;
    size_t size = strlen(path);
    snprintf(path + size, PATH_MAX - size, "/%s", last);
    return below(path);
}

/* Whether it is a regular file below the root: asked before every write to anything. */
static int watches(int fd) {
    struct stat file;
    char path[PATH_MAX];
    if (!root_size) return 0;
    int error = errno;
    int is_file = fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
    errno = error;
    return is_file && below_fd(fd, path);
}

static void give_back(int64_t bytes) {
    if (control->free_bytes >= 0) control->free_bytes += bytes;
}

/* ---- opening ---- */

static int open_at(int dir, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat before, after;
    const char *file = flags & (O_CREAT | O_TRUNC | O_SYNC | O_DSYNC) ? below_at(dir, name, path) : NULL;
    if (!file) return REAL(openat64)(dir, name, flags, mode);
    if (flags & (O_SYNC | O_DSYNC) || (flags & O_TMPFILE) == O_TMPFILE) refuse("opening", path);
    lock();
    int was_there = lstat(path, &before) == 0;
    if (was_there && S_ISLNK(before.st_mode)) refuse("opening a link", path);
    int fd = REAL(openat64)(dir, name, flags, mode);
    if (fd >= 0) {
        fstat(fd, &after);
        if (!was_there)
            put(CREATE, after.st_ino, 0, after.st_mode & 07777, file, strlen(file), NULL, 0);
        else if (before.st_size != after.st_size) {
            give_back(before.st_size);
            put(RESIZE, after.st_ino, 0, 0, NULL, 0, NULL, 0);
        }
    }
    unlock();
    return fd;
}

#define OPEN_MODE(flags)                                                   \
    mode_t mode = 0;                                                       \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {         \
        va_list rest;                                                      \
        va_start(rest, flags);                                             \
        mode = va_arg(rest, mode_t);                                       \
        va_end(rest);                                                      \
    }

int open(const char *name, int flags, ...) { OPEN_MODE(flags) return open_at(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { OPEN_MODE(flags) return open_at(AT_FDCWD, name, flags, mode); }
int openat(int dir, const char *name, int flags, ...) { OPEN_MODE(flags) return open_at(dir, name, flags, mode); }
int openat64(int dir, const char *name, int flags, ...) { OPEN_MODE(flags) return open_at(dir, name, flags, mode); }

/* ---- bytes ---- */

/* At the file's own position where offset is -1. */
static ssize_t store(int fd, const void *bytes, size_t size, off64_t offset) {
    struct stat file;
    lock();
    fstat(fd, &file);
    off64_t start = offset;
    if (offset < 0)
        start = fcntl(fd, F_GETFL) & O_APPEND ? file.st_size : lseek(fd, 0, SEEK_CUR);
    int64_t growth = start + (int64_t)size - file.st_size;
    if (control->free_bytes >= 0 && growth > control->free_bytes) {
        int64_t fits = (int64_t)size - (growth - control->free_bytes);
        if (fits <= 0) {
            unlock();
            errno = ENOSPC;
            return -1;
        }
        size = fits; /* A short write, as a real disk has it. */
    }
    ssize_t written =
        offset < 0 ? REAL(write)(fd, bytes, size) : REAL(pwrite64)(fd, bytes, size, offset);
    if (written > 0) {
        put(WRITE, file.st_ino, start, 0, NULL, 0, bytes, written);
        growth = start + written - file.st_size;
        if (growth > 0) give_back(-growth);
    }
    unlock();
    return written;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    return watches(fd) ? store(fd, bytes, size, -1) : REAL(write)(fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
    return watches(fd) ? store(fd, bytes, size, offset) : REAL(pwrite64)(fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    return pwrite64(fd, bytes, size, offset);
}

/* The first part only: a short write, with which every caller must reckon. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (!watches(fd)) return REAL(writev)(fd, parts, count);
    for (int at = 0; at < count; at++)
        if (parts[at].iov_len) return store(fd, parts[at].iov_base, parts[at].iov_len, -1);
    return 0;
}

int ftruncate64(int fd, off64_t size) {
    struct stat file;
    if (!watches(fd)) return REAL(ftruncate64)(fd, size);
    lock();
    fstat(fd, &file);
    int result = REAL(ftruncate64)(fd, size);
    if (result == 0 && size != file.st_size) {
        if (size < file.st_size) give_back(file.st_size - size);
        put(RESIZE, file.st_ino, size, 0, NULL, 0, NULL, 0);
    }
    unlock();
    return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* ---- names ---- */

int mkdir(const char *name, mode_t mode) {
    char path[PATH_MAX];
    struct stat folder;
    const char *relative = below_at(AT_FDCWD, name, path);
    if (!relative) return REAL(mkdir)(name, mode);
    lock();
    int result = REAL(mkdir)(name, mode);
    if (result == 0) {
        lstat(path, &folder);
        put(MAKE_DIR, folder.st_ino, 0, folder.st_mode & 07777, relative, strlen(relative), NULL, 0);
    }
    unlock();
    return result;
}

static int remove_at(int dir, const char *name, int flags) {
    char path[PATH_MAX];
    struct stat file;
    const char *relative = below_at(dir, name, path);
    if (!relative) return REAL(unlinkat)(dir, name, flags);
    lock();
    int is_known = lstat(path, &file) == 0 && (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode));
    int result = REAL(unlinkat)(dir, name, flags);
    if (result == 0 && is_known) {
        if (S_ISREG(file.st_mode)) give_back(file.st_size);
        put(REMOVE, file.st_ino, 0, 0, relative, strlen(relative), NULL, 0);
    }
    unlock();
    return result;
}

int unlink(const char *name) { return remove_at(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return remove_at(AT_FDCWD, name, AT_REMOVEDIR); }
int unlinkat(int dir, const char *name, int flags) { return remove_at(dir, name, flags); }

int rename(const char *source, const char *target) {
    char from[PATH_MAX], to[PATH_MAX], both[2 * PATH_MAX];
    struct stat file, replaced;
    const char *from_relative = below_at(AT_FDCWD, source, from);
    const char *to_relative = below_at(AT_FDCWD, target, to);
    if (!from_relative && !to_relative) return REAL(rename)(source, target);
    if (!from_relative || !to_relative) refuse("renaming over the border", source);
    lock();
    int is_there = lstat(from, &file) == 0;
    int replaces = lstat(to, &replaced) == 0 && S_ISREG(replaced.st_mode);
    int result = REAL(rename)(source, target);
    if (result == 0 && is_there) {
        if (replaces) give_back(replaced.st_size);
        int size = snprintf(both, sizeof both, "%s%c%s", from_relative, 0, to_relative);
        put(RENAME, file.st_ino, 0, 0, both, size, NULL, 0);
    }
    unlock();
    return result;
}

/* ---- syncs ---- */

static int fails(const char *path, mode_t mode) {
    if (!control->syncs_to_failure || !S_ISREG(mode) || !strstr(path, control->sync_name)) return 0;
    return --control->syncs_to_failure == 0;
}

static int sync_fd(int fd, int (*sync)(int)) {
    char path[PATH_MAX];
    struct stat file;
    if (!root_size || !below_fd(fd, path) || fstat(fd, &file) < 0) return sync(fd);
    lock();
    uint64_t number = ++syncs;
    put(SYNC_BEGUN, file.st_ino, number, 0, NULL, 0, NULL, 0);
    if (fails(path, file.st_mode)) {
        put(SYNC_FAILED, file.st_ino, number, 0, NULL, 0, NULL, 0);
        unlock();
        errno = EIO;
        return -1;
    }
    unlock();
    int result = sync(fd);
    if (result == 0) {
        lock();
        put(SYNC_DONE, file.st_ino, number, 0, NULL, 0, NULL, 0);
        unlock();
    }
    return result;
}

int fsync(int fd) { return sync_fd(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_fd(fd, REAL(fdatasync)); }

/* ---- what is not known here ---- */

static void refuse_fd(const char *call, int fd) {
    char path[PATH_MAX];
    if (root_size && watches(fd)) {
        below_fd(fd, path);
        refuse(call, path);
    }
}

static void refuse_at(const char *call, int dir, const char *name) {
    char path[PATH_MAX];
    if (below_at(dir, name, path)) refuse(call, path);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
    if (fd >= 0 && flags & MAP_SHARED && protection & PROT_WRITE) refuse_fd("mmap", fd);
    return REAL(mmap64)(at, size, protection, flags, fd, offset);
}
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    return mmap64(at, size, protection, flags, fd, offset);
}

/* Copies within the kernel, which a program must be able to do without: it writes by itself then. */
#define WITHOUT(name, to, parameters, arguments) \
    ssize_t name parameters;                     \
    ssize_t name parameters {                    \
        if (root_size && watches(to)) {          \
            errno = ENOSYS;                      \
            return -1;                           \
        }                                        \
        return REAL(name) arguments;             \
    }
WITHOUT(sendfile, to, (int to, int from, off_t *o, size_t n), (to, from, o, n))
WITHOUT(sendfile64, to, (int to, int from, off64_t *o, size_t n), (to, from, o, n))
WITHOUT(splice, to, (int from, off64_t *i, int to, off64_t *o, size_t n, unsigned f), (from, i, to, o, n, f))
WITHOUT(copy_file_range, to, (int from, off64_t *i, int to, off64_t *o, size_t n, unsigned f), (from, i, to, o, n, f))

#define UNKNOWN_FD(type, name, fd, parameters, arguments) \
    type name parameters;                                 \
    type name parameters {                                \
        refuse_fd(#name, fd);                             \
        return REAL(name) arguments;                      \
    }
UNKNOWN_FD(ssize_t, pwritev, fd, (int fd, const struct iovec *v, int n, off_t o), (fd, v, n, o))
UNKNOWN_FD(ssize_t, pwritev64, fd, (int fd, const struct iovec *v, int n, off64_t o), (fd, v, n, o))
UNKNOWN_FD(ssize_t, pwritev2, fd, (int fd, const struct iovec *v, int n, off_t o, int f), (fd, v, n, o, f))
UNKNOWN_FD(ssize_t, pwritev64v2, fd, (int fd, const struct iovec *v, int n, off64_t o, int f), (fd, v, n, o, f))
UNKNOWN_FD(int, fallocate, fd, (int fd, int mode, off_t o, off_t n), (fd, mode, o, n))
UNKNOWN_FD(int, fallocate64, fd, (int fd, int mode, off64_t o, off64_t n), (fd, mode, o, n))
UNKNOWN_FD(int, posix_fallocate, fd, (int fd, off_t o, off_t n), (fd, o, n))
UNKNOWN_FD(int, posix_fallocate64, fd, (int fd, off64_t o, off64_t n), (fd, o, n))
UNKNOWN_FD(int, syncfs, fd, (int fd), (fd))

#define UNKNOWN_AT(type, name, dir, path, parameters, arguments) \
    type name parameters {                                       \
        refuse_at(#name, dir, path);                             \
        return REAL(name) arguments;                             \
    }
UNKNOWN_AT(int, creat, AT_FDCWD, path, (const char *path, mode_t m), (path, m))
UNKNOWN_AT(int, creat64, AT_FDCWD, path, (const char *path, mode_t m), (path, m))
UNKNOWN_AT(int, truncate, AT_FDCWD, path, (const char *path, off_t n), (path, n))
UNKNOWN_AT(int, truncate64, AT_FDCWD, path, (const char *path, off64_t n), (path, n))
UNKNOWN_AT(int, link, AT_FDCWD, to, (const char *from, const char *to), (from, to))
UNKNOWN_AT(int, linkat, dir, to, (int from_dir, const char *from, int dir, const char *to, int f), (from_dir, from, dir, to, f))
UNKNOWN_AT(int, symlink, AT_FDCWD, to, (const char *from, const char *to), (from, to))
UNKNOWN_AT(int, symlinkat, dir, to, (const char *from, int dir, const char *to), (from, dir, to))
UNKNOWN_AT(int, mkdirat, dir, path, (int dir, const char *path, mode_t m), (dir, path, m))
UNKNOWN_AT(int, renameat, dir, from, (int dir, const char *from, int to_dir, const char *to), (dir, from, to_dir, to))
UNKNOWN_AT(int, renameat2, dir, from, (int dir, const char *from, int to_dir, const char *to, unsigned f), (dir, from, to_dir, to, f))
