/// The disk operations for a stream: they run one after the other in order, while everything else
/// goes on. A stream's life bounds their number.
struct StreamErrands {
    private var last: Task<Void, Never>?

    /// An unstructured task, since the caller may be unable to wait for a hanging disk, and a
    /// stopping server abandons it.
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

    /// All errands so far.
    var all: Task<Void, Never>? { last }
}
