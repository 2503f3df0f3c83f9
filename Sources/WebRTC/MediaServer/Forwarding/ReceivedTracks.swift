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

    /// Those of one connection.
    func carried(by connection: Connection) -> ReceivedTracks {
        ReceivedTracks(
            videos: videos.filter { $0.subscription.connection === connection },
            audio: audio.filter { $0.subscription.connection === connection })
    }

    /// The total rate of the wanted audio.
    func audioBitsPerSecond(at now: Instant) -> Int {
        audio.lazy.filter { $0.subscription.preference != .none }
            .reduce(0) { $0 + $1.track.audioBitsPerSecond(at: now) }
    }
}
