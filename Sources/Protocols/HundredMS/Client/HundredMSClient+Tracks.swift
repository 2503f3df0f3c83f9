import Clocks
import MediaClient
public import MediaKernel
import PeerConnection
public import RemoteRoom
import SDP

/// Published tracks and subscription preferences.
extension HundredMSClient {
    public func publish(_ tracks: [LocalTrack]) async throws {
        published = tracks
        try await offerPublish()
    }

    public func setMuted(_ isMuted: Bool, track: TrackID) async throws {
        guard let index = published.firstIndex(where: { $0.id == track }) else { return }
        published[index].isMuted = isMuted
        let payload = TrackPayload(published[index])
        guard membership == .inside, outbox != nil, mayPublish(payload) else { return }
        signalling.updateTracks([payload])
        try await drain()
    }

    /// Interrupts signalling and both media connections. Afterwards all of them recover on their
    /// own.
    public func interrupt(for duration: Duration) async throws {
        let end = MonotonicClock.now + duration
        interruptedUntil = end
        try await onMedia { $0.interrupt(until: end) }
        outbox?.finish()
    }

    func offerPublish() async throws {
        guard membership == .inside, outbox != nil else { return }
        guard let restarts = offers.begin() else { return }
        let offered = publishable
        let tracks = offered.map(\.media)
        let offer = try await onMedia { try $0.publishOffer(tracks: tracks, restartsICE: restarts) }
        signalling.offer(offer.rendered(), tracks: offered.map { TrackPayload($0) })
        try await drain()
    }

    /// The tracks that we send: in the role of our token all of them, so that the server reports
    /// those that it does not permit; in another role, the permitted ones.
    var publishable: [LocalTrack] { published.filter { mayPublish(TrackPayload($0)) } }

    private func mayPublish(_ track: TrackPayload) -> Bool {
        guard let policy, policy.name != firstRole else { return true }
        return policy.allows(track)
    }

    public func want(_ track: TrackID, layer: LayerPreference) async {
        let wish = signalling.preferVideo(track, layer: layer)
        await say(wish?.text, about: track)
    }

    public func want(_ track: TrackID, isHeard: Bool) async {
        await say(signalling.preferAudio(track, isSubscribed: isHeard)?.text, about: track)
    }

    /// Fails only after the media has ended, when the wish no longer matters.
    private func say(_ wish: String?, about track: TrackID) async {
        guard let wish else { return }
        try? await onMedia { $0.wish(wish, for: track) }
    }
}
