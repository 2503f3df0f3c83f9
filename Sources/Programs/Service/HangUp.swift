import Glibc

/// SIGHUP, by which a closing terminal ends the processes started in it.
public enum HangUp {
    /// Whether the process was started to outlive its terminal, as with `nohup`.
    public static var isIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
