import Synchronization

/// Reads in progress: whoever wants the same meanwhile gets the result of the first.
final class SharedReads<Value: Sendable>: Sendable {
    private struct Read {
        let task: Task<Value?, Never>
        var waitCount = 1
    }

    private let reads = Mutex<[String: Read]>([:])

    /// How many wait for a read.
    var waitCount: Int { reads.withLock { $0.values.reduce(0) { $0 + $1.waitCount } } }

    /// - Parameters:
    ///   - name: of a version of a file.
    ///   - read: returns nil when it fails, for all who wait for it.
    func value(
        _ name: String, read: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        let task = reads.withLock { reads in
            if let task = reads[name]?.task {
                reads[name]?.waitCount += 1
                return task
            }
            let task = Task {
                let value = await read()
                self.reads.withLock { $0[name] = nil }
                return value
            }
            reads[name] = Read(task: task)
            return task
        }
        return await task.value
    }
}
