/// The disk operations for a stream: they run one after the other in order, while everything else
/// goes on. A stream's life bounds their number.
struct StreamErrands {
    /// Ends with the errands so far; nil without any.
    private(set) var last: Task<Void, Never>?

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
}
