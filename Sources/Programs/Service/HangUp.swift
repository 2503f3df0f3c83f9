import Glibc

/// SIGHUP: a closing terminal ends the processes started in it, and whoever runs a service asks it
/// to read its settings again.
public enum HangUp {
    /// Whether the process was started to outlive its terminal, as with `nohup`.
    public static var isIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Whether the process has a terminal that may close.
    static var comesFromTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}
