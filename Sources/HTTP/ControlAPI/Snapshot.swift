import Clocks
import MediaKernel

/// What is asked for by anybody and costs something to find out: found out once a second at most,
/// for all who ask meanwhile.
actor Snapshot<Value: Sendable> {
    /// How old an answer may be.
    static var ageMaximum: Duration { .seconds(1) }

    private let find: @Sendable () async throws -> Value
    private let clock: @Sendable () -> Instant
    private var latest: (task: Task<Value, any Error>, asked: Instant)?
    private var isFinding = false

    init(
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now },
        find: @escaping @Sendable () async throws -> Value
    ) {
        self.clock = clock
        self.find = find
    }

    /// - Throws: what `find` throws, which is kept for as long.
    func value() async throws -> Value {
        let now = clock()
        if let latest, isFinding || now - latest.asked < Self.ageMaximum {
            return try await latest.task.value
        }
        let task = Task { [find] in try await find() }
        latest = (task, now)
        isFinding = true
        defer { isFinding = false }
        return try await task.value
    }
}
