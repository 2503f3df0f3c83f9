import Sandbox
import Service

/// Hides the server's keys from its bots and from other programs of its user.
enum ServerSecrets {
    /// Call it once the settings are read, before there are threads that read the environment.
    static func keep() {
        ProcessSecrets.forget(Settings.secretVariables)
        ProcessSecrets.hide()
    }
}
