#pragma once
#include <errno.h>
#include <linux/ioprio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Gives a thread idle I/O priority: it reads and writes only while no other does. glibc has no
// function for it: ioprio_set(2). -1 with errno on failure.
static inline int roomcast_set_idle_io(int thread) {
    return (int)syscall(
        SYS_ioprio_set, IOPRIO_WHO_PROCESS, thread, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 7));
}

// Confines this process and what it starts to some of the cores that it may use now: `maximum` in a
// row, from the one with this number, and on from the first where these do not suffice.
// sched_setaffinity(2); its macros are not available in Swift. -1 with errno on failure, also where
// the kernel is made for more than 1024 cores.
static inline int roomcast_limit_cores(int maximum, unsigned first) {
    enum { words = 16, width = 8 * sizeof(unsigned long) };
    unsigned long allowed[words] = {0}, chosen[words] = {0};
    if (syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed) < 0) return -1;
    int cores[words * width], count = 0;
    for (int core = 0; core < words * (int)width; core += 1)
        if (allowed[core / width] >> core % width & 1) cores[count++] = core;
    if (maximum >= count) return 0;
    for (int number = 0; number < maximum; number += 1) {
        int core = cores[(first % count + number) % count];
        chosen[core / width] |= 1UL << core % width;
    }
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof chosen, chosen);
}

// Makes this process the parent of its descendants whose own parents die, so that none is lost.
// PR_SET_CHILD_SUBREAPER, prctl(2).
static inline int roomcast_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

// Hands an open descriptor to the process at the other end of a Unix socket: unix(7), SCM_RIGHTS.
// The macros that lay out such a message are not available in Swift. -1 with errno on failure.
static inline int roomcast_send_descriptor(int socket, int descriptor) {
    char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr message = {0};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

// The descriptor that has come. -1 if none has: with EAGAIN if one may still come. Never waits.
static inline int roomcast_receive_descriptor(int socket) {
    char byte, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr message = {0};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = CMSG_LEN(sizeof(int));  // the kernel closes what comes beyond it
    ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS
        || header->cmsg_len != CMSG_LEN(sizeof(int))) {
        errno = EBADMSG;
        return -1;
    }
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
    return descriptor;
}
