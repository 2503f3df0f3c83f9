#pragma once
#include <linux/ioprio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Gives a thread idle I/O priority: it reads and writes only while no other does. glibc has no
// function for it: ioprio_set(2). -1 with errno on failure.
static inline int roomcast_set_idle_io(int thread) {
    return (int)syscall(
        SYS_ioprio_set, IOPRIO_WHO_PROCESS, thread, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 7));
}

// Makes this process the parent of its descendants whose own parents die, so that none is lost.
// PR_SET_CHILD_SUBREAPER, prctl(2).
static inline int roomcast_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}
