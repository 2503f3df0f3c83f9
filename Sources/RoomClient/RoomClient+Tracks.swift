import Clocks
public import MediaKernel
import PeerConnection
import SDP
public import Signalling

/// What is sent, and what is asked for.
extension RoomClient {
    /// Sends exactly these tracks from now on.
    public func publish(_ media: [PublishedMedia]) async throws {
        published = media
        try await offerPublish()
    }

    /// Tells the room that a track of ours is silent or dark, or not any more. What is sent
    /// meanwhile is the observer's business.
    public func setMuted(_ isMuted: Bool, track: TrackID) async throws {
        guard let index = published.firstIndex(where: { $0.payload.trackID == track }) else {
            return
        }
        published[index].payload.mute = isMuted
        let payload = published[index].payload
        guard membership == .inside, outbox != nil, mayPublish(payload) else { return }
        signalling.updateTracks([payload])
        try await drain()
    }

    /// Loses the network for a while, as when a cable is drawn: signalling breaks, and neither
    /// connection sends or receives. Afterwards all of it comes back by itself.
    public func interrupt(for duration: Duration) async throws {
        let end = MonotonicClock.now + duration
        interruptedUntil = end
        try await onMedia { $0.interrupt(until: end) }
        outbox?.finish()
    }

    func offerPublish() async throws {
        guard membership == .inside, outbox != nil else { return }
        guard !isOfferOutstanding else {
            needsOffer = true
            return
        }
        let offered = publishable
        let tracks = offered.map(\.track)
        let restarts = needsRestart
        let offer = try await onMedia { try $0.publishOffer(tracks: tracks, restartsICE: restarts) }
        isOfferOutstanding = true
        needsOffer = false
        needsRestart = false
        signalling.offer(offer.rendered(), tracks: offered.map(\.payload))
        try await drain()
    }

    /// What we send of what we were given: all of it in the role that we came with, so that one
    /// that may not is told so; in another role, what that role may publish.
    var publishable: [PublishedMedia] { published.filter { mayPublish($0.payload) } }

    private func mayPublish(_ track: TrackPayload) -> Bool {
        guard let policy, policy.name != firstRole else { return true }
        return policy.allows(track)
    }

    /// Says which form of a video we wish to get: the best one unless we say otherwise; `none`
    /// for nothing, until something else is asked for.
    public func preferVideo(_ track: TrackID, layer: VideoLayerPreference) async throws {
        guard let wish = signalling.preferVideo(track, layer: layer) else { return }
        try await onMedia { $0.wish(wish.text, for: track) }
    }

    /// Says whether we wish to hear somebody.
    public func preferAudio(_ track: TrackID, isSubscribed: Bool) async throws {
        guard let wish = signalling.preferAudio(track, isSubscribed: isSubscribed) else { return }
        try await onMedia { $0.wish(wish.text, for: track) }
    }
}
