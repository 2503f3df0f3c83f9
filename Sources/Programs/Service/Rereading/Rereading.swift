import ServiceLifecycle
import UnixSignals

/// Has the settings read again on SIGHUP, and when one of their files has changed.
struct Rereading: Service {
    private static let interval: Duration = .seconds(2)

    let rereader: SettingsRereader
    /// Whether SIGHUP means that, and not the end of a terminal.
    let followsHangUps: Bool

    func run() async throws {
        await withDiscardingTaskGroup { [rereader] group in
            group.addTask { await repeating(every: Self.interval) { await rereader.look() } }
            guard followsHangUps else { return }
            group.addTask {
                let signals = await UnixSignalsSequence(trapping: .sighup)
                for await _ in signals.cancelOnGracefulShutdown() {
                    await rereader.reread(because: "SIGHUP")
                }
            }
        }
    }
}
