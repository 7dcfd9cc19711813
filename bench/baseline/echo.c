/* The least that a server on sockets does: sends back what it reads, with one epoll. Prints
 * `ready http://127.0.0.1:PORT`, or `ready http://unix:PATH` if it is given a path, and serves until
 * it is killed.
 *
 *   cc -O2 -o echo bench/baseline/echo.c && buttonwood bench ouch --beside-echo ./echo
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { EVENTS = 1024, READ_SIZE = 65536 };

static void check(int ok, const char *what) {
    if (!ok) {
        perror(what);
        exit(1);
    }
}

static int listen_anywhere(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    check(listener >= 0, "socket");
    check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    check(listen(listener, EVENTS) == 0, "listen");
    check(getsockname(listener, (struct sockaddr *)&address, &len) == 0, "getsockname");
    printf("ready http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static int listen_at(const char *path) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    check(listener >= 0, "socket");
    check(strlen(path) < sizeof address.sun_path, "path");
    strcpy(address.sun_path, path);
    check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    check(listen(listener, EVENTS) == 0, "listen");
    printf("ready http://unix:%s\n", path);
    fflush(stdout);
    return listener;
}

static void watch(int poll, int fd, unsigned events) {
    struct epoll_event event = {.events = events, .data = {.fd = fd}};
    check(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
}

static void accept_all(int poll, int listener) {
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); /* Fails on a Unix socket. */
        watch(poll, fd, EPOLLIN | EPOLLET);
    }
}

/* The client has room: it never has more under way than its window. */
static int write_all(int fd, const char *bytes, ssize_t len) {
    while (len > 0) {
        ssize_t written = write(fd, bytes, (size_t)len);
        if (written < 0 && errno != EAGAIN && errno != EINTR) return 0;
        if (written > 0) bytes += written, len -= written;
    }
    return 1;
}

static void echo(int fd) {
    static char bytes[READ_SIZE];
    for (;;) {
        ssize_t len = read(fd, bytes, sizeof bytes);
        if (len > 0 && write_all(fd, bytes, len)) continue;
        if (len < 0 && errno == EAGAIN) return;
        if (len < 0 && errno == EINTR) continue;
        close(fd);
        return;
    }
}

int main(int argc, char **argv) {
    struct epoll_event events[EVENTS];
    int listener = argc > 1 ? listen_at(argv[1]) : listen_anywhere(), poll = epoll_create1(0);
    check(poll >= 0, "epoll_create1");
    watch(poll, listener, EPOLLIN);
    for (;;) {
        int count = epoll_wait(poll, events, EVENTS, -1);
        for (int at = 0; at < count; at++) {
            int fd = events[at].data.fd;
            if (fd == listener) accept_all(poll, listener);
            else echo(fd);
        }
    }
}
