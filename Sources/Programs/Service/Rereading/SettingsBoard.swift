import ControlAPI
import Synchronization

/// The settings as the operator's page shows them: those in force, and those that wait for a restart.
final class SettingsBoard: Sendable {
    private let state: Mutex<SettingsShown>

    /// - Parameter settings: those that the server was started with.
    init(_ settings: [SettingInForce]) { state = Mutex(SettingsShown(data: settings)) }

    var shown: SettingsShown { state.withLock { $0 } }

    /// The settings have been read again.
    ///
    /// - Parameter waiting: the names of those that stay as they are until the server is started anew.
    func take(_ settings: [SettingInForce], waiting: [String]) {
        state.withLock { state in
            let before = state.data.reduce(into: [:]) { $0[$1.name] = $1 }
            state = SettingsShown(
                data: settings.map { now in
                    guard waiting.contains(now.name), var kept = before[now.name] else {
                        return now
                    }
                    kept.afterRestart = now.given
                    return kept
                })
        }
    }

    /// Those from before stay in force.
    func refuse(_ fault: String) { state.withLock { $0.fault = fault } }
}
