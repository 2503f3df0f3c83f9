import Synchronization

/// Wakes a service when something is due or there is news, so that it need not look again and again.
/// One task waits; anybody may ring.
final class Alarm: Sendable {
    private struct State {
        var isRung = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Ends the present wait, or the next one if nobody waits.
    func ring() {
        let sleeper = state.withLock { state in
            let sleeper = state.sleeper.take()
            state.isRung = sleeper == nil
            return sleeper
        }
        sleeper?.resume()
    }

    /// Returns after a ring, after the delay at the latest, and at once in a cancelled task.
    func wait(atMost delay: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.rung() }
            group.addTask { try? await Task.sleep(for: delay) }
            await group.next()
            group.cancelAll()
        }
    }

    private func rung() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isRung || Task.isCancelled {
                        // A ring that comes after a cancellation is for the next wait.
                        if !Task.isCancelled { state.isRung = false }
                        return true
                    }
                    state.sleeper = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleeper.take() }?.resume()
        }
    }
}
