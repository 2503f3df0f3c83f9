// Tells the thread sanitizer about Swift's mutexes, in a library that is loaded before the others.
//
// `Synchronization.Mutex` is locked by atomics in the program, which the sanitizer sees, unless
// another thread holds it: then by code of libswiftSynchronization, which is not instrumented. So
// each contended mutex looked like a data race.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *handle

// Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void Lock(uint32_t thread, HANDLE);
typedef SWIFT void Unlock(HANDLE);

SWIFT void lock_slow(uint32_t thread, HANDLE) __asm__(LOCK);
SWIFT void unlock_slow(HANDLE) __asm__(UNLOCK);

// Missing in programs without the sanitizer, such as those that start the tests.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, HANDLE) {
    ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(HANDLE) {
    if (__tsan_release) __tsan_release(handle);
    ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
