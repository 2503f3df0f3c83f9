/// What is done for a stream that touches a disk: one errand after the other, in the order in which
/// they were given, while everybody else goes on. Bounded by what a stream's life has of them.
struct StreamErrands {
    private var last: Task<Void, Never>?
    private var unfinished = 0

    var isEmpty: Bool { unfinished == 0 }

    /// Not structured: whoever gave the errand may not be able to wait for a disk that hangs, and a
    /// server that is stopped leaves it behind.
    mutating func add<Value: Sendable>(
        _ errand: @escaping @Sendable () async -> Value
    ) -> Task<Value, Never> {
        unfinished += 1
        let before = last
        let task = Task {
            await before?.value
            return await errand()
        }
        last = Task { _ = await task.value }
        return task
    }

    /// An errand is done.
    mutating func finished() { unfinished -= 1 }

    /// Those that were given until now.
    var all: Task<Void, Never>? { last }
}
