import MediaKernel

/// The tracks that one peer receives.
struct ReceivedTracks {
    /// The most important first.
    var videos: [Video] = []
    var audio: [(subscription: Subscription, track: ForwardedTrack)] = []

    struct Video {
        let subscription: Subscription
        let track: ForwardedTrack
        let importance: TrackImportance
    }

    /// The total rate of the wanted audio.
    func audioBitsPerSecond(at now: Instant) -> Int {
        audio.lazy.filter { $0.subscription.preference != .none }
            .reduce(0) { $0 + $1.track.audioBitsPerSecond(at: now) }
    }
}
