import MediaKernel

/// What one peer receives of a room.
struct ReceivedTracks {
    /// The most important first.
    var videos: [Video] = []
    var audio: [(subscription: Subscription, track: ForwardedTrack)] = []

    struct Video {
        let subscription: Subscription
        let track: ForwardedTrack
        let importance: TrackImportance
    }

    /// Bits per second of the audio that is wanted.
    func audioBitsPerSecond(at now: Instant) -> Int {
        audio.lazy.filter { $0.subscription.preference != .none }
            .reduce(0) { $0 + $1.track.audioBitsPerSecond(at: now) }
    }
}
