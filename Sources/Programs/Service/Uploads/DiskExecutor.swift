import Dispatch

/// Runs an actor whose work is on files: a disk that hangs holds up this actor's thread, and not the
/// threads that all other actors share.
final class DiskExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: the thread's name, for debuggers.
    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
