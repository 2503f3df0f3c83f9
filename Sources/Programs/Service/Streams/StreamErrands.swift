/// What is done for a stream that touches a disk: one errand after the other, in the order in which
/// they were given, while everybody else goes on. Bounded by what a stream's life has of them.
struct StreamErrands {
    private var last: Task<Void, Never>?

    /// Not structured: whoever gave the errand may not be able to wait for a disk that hangs, and a
    /// server that is stopped leaves it behind.
    mutating func add<Value: Sendable>(
        _ errand: @escaping @Sendable () async -> Value
    ) -> Task<Value, Never> {
        let before = last
        let task = Task {
            await before?.value
            return await errand()
        }
        last = Task { _ = await task.value }
        return task
    }

    /// Those that were given until now.
    var all: Task<Void, Never>? { last }
}
