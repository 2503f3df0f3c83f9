#pragma once
#include <linux/ioprio.h>
#include <sys/syscall.h>
#include <unistd.h>

// Has a thread read and write only while nobody else does. glibc has no function for it:
// ioprio_set(2). -1 with errno when the kernel does not.
static inline int roomcast_set_idle_io(int thread) {
    return (int)syscall(
        SYS_ioprio_set, IOPRIO_WHO_PROCESS, thread, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 7));
}
