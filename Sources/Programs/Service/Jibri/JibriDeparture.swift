/// The end of a Jibri's part, which nothing holds up for ever: a recording that cannot be finished, a
/// disk that hangs, a script that waits for something.
struct JibriDeparture: Sendable {
    /// How long what is recorded may take to be completed, scripts included, where the program is
    /// told to end at once. The next start does the rest.
    static let limit = Duration.seconds(60)
    /// For slots to say goodbye then.
    static let farewell = Duration.seconds(1)
    /// For what is cancelled then: a script is asked to end, and killed.
    static let last = FinalizeScript.grace + .seconds(2)

    private enum Event: Sendable {
        case ended(Result<Void, any Error>)
        case overdue
        case over
    }

    let exit: JibriExit
    var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

    /// Runs `work` to its end, but not for longer after a request to end at once than the limit:
    /// then `giveUp` is called, `work` is cancelled and, a moment later, left alone. If the caller is
    /// cancelled, `work` is cancelled at once, and left alone a moment later, too.
    ///
    /// - Returns: whether it has come to its end.
    func run(
        _ work: @escaping @Sendable () async throws -> Void,
        giveUp: @escaping @Sendable () async -> Void
    ) async throws -> Bool {
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let main = Task {
            do {
                try await work()
                sink.yield(.ended(.success(())))
            } catch {
                sink.yield(.ended(.failure(error)))
            }
        }
        let timer = Task {
            await exit.hurried()
            await sleep(Self.limit)
            guard !Task.isCancelled else { return }
            sink.yield(.overdue)
        }
        // Who waits for it may be cancelled, and waits all the same.
        let end = Task {
            var isOverdue = false
            for await event in events {
                switch event {
                case .ended(let result):
                    timer.cancel()
                    if !isOverdue { try result.get() }
                    return !isOverdue
                case .overdue:
                    isOverdue = true
                    await giveUp()
                    Task {
                        await sleep(Self.farewell)
                        main.cancel()
                        await sleep(Self.last)
                        sink.yield(.over)
                    }
                case .over: return false
                }
            }
            return false
        }
        return try await withTaskCancellationHandler {
            try await end.value
        } onCancel: {
            main.cancel()
            timer.cancel()
            Task {
                await sleep(Self.last)
                sink.yield(.over)
            }
        }
    }
}
