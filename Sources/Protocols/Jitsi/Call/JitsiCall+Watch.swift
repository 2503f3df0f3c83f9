internal import Jibri
internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom

/// Whether the conference goes on: one in which nothing happens is over, by Jibri's rules.
extension JitsiCall {
    /// Looks every ``CallWatch/interval``.
    ///
    /// - Parameter hasMedia: whether any came since the last time.
    mutating func looked(hasMedia: Bool, at now: Instant) {
        guard let timeouts = entry.timeouts, phase == .inside else { return }
        let (participants, muted, callers) = roster.attendance(
            book, withVideo: entry.receivesVideo)
        var watch = self.watch ?? CallWatch(timeouts, usageTimeout: nil, from: now)
        let end = watch.check(
            CallWatch.Facts(
                participants: participants, muted: muted, callers: callers, hasMedia: hasMedia,
                isConnected: session?.state == .connected), at: now)
        self.watch = watch
        switch end {
        case nil: break
        case .finished:
            self.end(
                .roomEnded(
                    reason: participants == 0 ? "nobody is there" : "everybody is muted"))
        case .failed(.connectionFailed):
            self.end(
                .disconnected("the connection to the conference's bridge was lost for too long"))
        case .failed: self.end(.silent("no media came from the conference"))
        }
    }
}
