import Clocks
import MediaKernel

/// A value that anyone may request and that is costly to find: it is found at most once a second,
/// for all callers in between.
actor Snapshot<Value: Sendable> {
    /// The greatest age of an answer.
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

    /// - Throws: the error of `find`, which is kept for the same time.
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
