import Sandbox
import Service

/// The server's keys, which neither its bots nor other programs of its user are to see.
enum ServerSecrets {
    /// To be called once the settings are read, before there are threads that read the environment.
    static func keep() {
        ProcessSecrets.forget(Settings.secretVariables)
        ProcessSecrets.hide()
    }
}
