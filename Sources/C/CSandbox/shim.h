#pragma once
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Each returns its system call's result: -1 with errno on failure. Swift cannot call variadic
// functions, such as prctl(2) and syscall(2).

// PR_SET_DUMPABLE, prctl(2).
static inline int roomcast_set_dumpable(int is_dumpable) {
    return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0);
}

// PR_SET_NO_NEW_PRIVS, prctl(2).
static inline int roomcast_refuse_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// Keeps only these of the first 32 capabilities for the thread, and none of the others. capset(2).
static inline int roomcast_keep_capabilities(uint32_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &header, data) != 0) return -1;
    kept &= data[0].permitted;
    data[0] = data[1] = (struct __user_cap_data_struct){0};
    data[0].effective = kept;
    data[0].permitted = kept;
    return (int)syscall(SYS_capset, &header, data);
}

// Becomes another user, without supplementary groups, and keeps the capabilities as permitted ones,
// which setuid(2) would drop. Affects all threads.
static inline int roomcast_become(uint32_t user, uint32_t group) {
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return -1;
    if (setgroups(0, NULL) != 0 || setgid(group) != 0) return -1;
    return setuid(user);
}

// Installs a system call filter for all threads. seccomp(2). 0 when all have it.
static inline int roomcast_filter_calls(struct sock_filter *instructions, uint16_t count) {
    struct sock_fprog program = {.len = count, .filter = instructions};
    return (int)syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

// setrlimit(2)'s name for a user's threads; Swift's Glibc omits it.
static const int roomcast_thread_limit = RLIMIT_NPROC;

// Landlock's call numbers are the same on all architectures; a distribution's headers may be older
// than its kernel. landlock(7).
#define ROOMCAST_LANDLOCK_CREATE_RULESET 444
#define ROOMCAST_LANDLOCK_ADD_RULE 445
#define ROOMCAST_LANDLOCK_RESTRICT_SELF 446

struct roomcast_landlock_ruleset {
    uint64_t file_accesses;
    uint64_t network_accesses;
    uint64_t scopes;
};

struct roomcast_landlock_path {
    uint64_t accesses;
    int32_t directory;
} __attribute__((packed));

// The kernel's version of Landlock: 1 or more.
static inline int roomcast_landlock_version(void) {
    return (int)syscall(ROOMCAST_LANDLOCK_CREATE_RULESET, NULL, (size_t)0, 1);
}

// The descriptor of a new ruleset. Only the bytes that the kernel knows are passed.
static inline int roomcast_landlock_create(
    const struct roomcast_landlock_ruleset *rules, size_t bytes) {
    return (int)syscall(ROOMCAST_LANDLOCK_CREATE_RULESET, rules, bytes, 0);
}

static inline int roomcast_landlock_allow(int rules, int path, uint64_t accesses) {
    struct roomcast_landlock_path allowed = {.accesses = accesses, .directory = path};
    return (int)syscall(ROOMCAST_LANDLOCK_ADD_RULE, rules, 1, &allowed, 0);
}

// A descriptor that names a file without opening it. O_PATH, open(2), is declared for GNU sources
// only.
static inline int roomcast_name_file(const char *path) {
    return open(path, 010000000 | O_CLOEXEC);
}

// For the calling thread and the threads that it starts.
static inline int roomcast_landlock_enforce(int rules) {
    return (int)syscall(ROOMCAST_LANDLOCK_RESTRICT_SELF, rules, 0);
}

// The environment with which this process was started, in place. environ(7).
static inline char **roomcast_environment(void) {
    extern char **environ;
    return environ;
}

// Any system call, to test whether it is refused.
static inline long roomcast_try_call(long number, long first, long second, long third) {
    return syscall(number, first, second, third, 0, 0, 0);
}
