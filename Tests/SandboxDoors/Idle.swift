import CSandbox
import Glibc
import Synchronization

// Not in `main.swift`, where all code belongs to the main thread.

/// The body of a thread that does nothing.
func idle(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { nil }

private let identifier = Atomic<Int32>(0)

/// The body of a thread that keeps running.
private func wait(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let thread = roomcast_try_call(Int(SYS_gettid), 0, 0, 0)
    identifier.store(Int32(truncatingIfNeeded: thread), ordering: .releasing)
    while true { pause() }
}

/// Starts a thread that keeps running; returns its id in the kernel.
func startWaiting() -> Int32 {
    var thread = pthread_t()
    guard pthread_create(&thread, nil, wait, nil) == 0 else { return 0 }
    while identifier.load(ordering: .acquiring) == 0 { sched_yield() }
    return identifier.load(ordering: .acquiring)
}
