import Glibc

/// SIGHUP, with which a terminal that closes ends what was started in it.
public enum HangUp {
    /// Whether whoever started this process wants it to outlive the terminal, as `nohup` does.
    public static var isIgnored: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
