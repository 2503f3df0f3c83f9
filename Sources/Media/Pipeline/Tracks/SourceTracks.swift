import Codec
import MediaKernel
import Stage

/// The tracks and their peers, with each track's decoder and each peer's clock.
///
/// A track has a decoder once the room has announced it, its media flows, and the stream needs it;
/// the first two come in either order. Owned by the director's thread.
final class SourceTracks {
    private enum Source {
        case video(VideoSource)
        case audio(AudioSource)
    }

    /// The usual time from a frame's being ready to its being in the queue.
    static let decodingReserve: Duration = .milliseconds(20)

    private let configuration: PipelineConfiguration
    private let emit: @Sendable (PipelineEvent) -> Void
    /// Roles that are heard; nil for all.
    private var roles: Set<String>?
    /// Nil until the room has announced its peers.
    private(set) var peers: [SourcePeer]?
    private var owners: [TrackID: PeerID] = [:]
    /// Audio tracks that can make their peer the speaker; other sound is only heard.
    private var voices: Set<TrackID> = []
    /// Tracks whose media has begun, whether or not the room has announced them.
    private var codecs: [TrackID: SourceCodec] = [:]
    /// Tracks that are both announced and flowing.
    private var sources: [TrackID: Source] = [:]
    private var clocks: [PeerID: SourceClock] = [:]
    /// Why tracks are left out, until they can be decoded or are gone.
    private var reasons: [TrackID: String] = [:]
    /// As last reported.
    private var leftOut: [LeftOutTrack] = []
    /// Sound that has ended and is still to be played to its end.
    private var departed: [AudioSource] = []
    /// The output's clock and the first sample that is not mixed yet.
    private var output: (clock: SampleClock, position: Int64)?

    init(
        configuration: PipelineConfiguration, emit: @escaping @Sendable (PipelineEvent) -> Void
    ) {
        self.configuration = configuration
        self.emit = emit
        roles = configuration.sound.roles
    }

    // MARK: Questions

    func video(_ track: TrackID) -> VideoSource? {
        if case .video(let video) = sources[track] { video } else { nil }
    }

    var sounds: [AudioSource] {
        sources.values.compactMap { if case .audio(let audio) = $0 { audio } else { nil } }
    }

    /// Returns each only once.
    func takeDeparted() -> [AudioSource] {
        defer { departed = [] }
        return departed
    }

    /// The delay until words spoken now are heard.
    var longestDelay: Duration {
        clocks.values.map(\.playoutDelay).max() ?? configuration.playoutDelay.minimum
    }

    /// The output has samples up to this one; its clock has begun.
    func mixed(through position: Int64, _ clock: SampleClock) {
        if output == nil { for audio in sounds { audio.begin(clock, position: position) } }
        output = (clock, position)
    }

    /// Samples before a position are not needed any more.
    func goOn(at position: Int64, _ clock: SampleClock) {
        departed = []
        for audio in sounds { audio.begin(clock, position: position) }
        output = (clock, position)
    }

    // MARK: Input

    func show(_ next: [SourcePeer]) {
        peers = next
        let present = Set(next.map(\.id))
        for id in clocks.keys where !present.contains(id) { clocks[id] = nil }
        let earlier = owners
        owners = [:]
        voices = []
        for peer in next {
            for track in peer.tracks {
                owners[track.id] = peer.id
                if track.isVoice { voices.insert(track.id) }
                // Its first frames may have come before the room announced it.
                if attach(track, of: peer), track.isVideo { emit(.keyframeNeeded(track.id)) }
                switch sources[track.id] {
                case .video(let video): video.setMuted(track.isMuted)
                case .audio(let audio): audio.setMuted(track.isMuted)
                case nil: break
                }
            }
        }
        cutUnwanted()
        for id in sources.keys where owners[id] == nil { detach(id) }
        for (track, owner) in earlier where owners[track] != owner {
            clocks[owner]?.removeTrack(track)
        }
        reasons = reasons.filter { owners[$0.key] != nil }
        tellLeftOut()
    }

    /// Sets the roles that are heard from now on; nil for all. The sound of other roles is faded
    /// out at once, not played to its end: those words were not meant for this stream.
    func setRoles(_ next: Set<String>?) {
        roles = next
        for peer in peers ?? [] {
            for track in peer.tracks where !track.isVideo { attach(track, of: peer) }
        }
        cutUnwanted()
    }

    func mediaBegan(_ track: TrackID, _ codec: SourceCodec) {
        codecs[track] = codec
        for peer in peers ?? [] {
            for described in peer.tracks where described.id == track {
                attach(described, of: peer)
            }
        }
    }

    func mediaEnded(_ track: TrackID) {
        detach(track)
        codecs[track] = nil
        leaveOut(track, because: nil)
        if let owner = owners[track] { clocks[owner]?.removeTrack(track) }
    }

    func audioLost(_ track: TrackID, from timestamp: Int64) {
        if case .audio(let audio) = sources[track] { audio.lost(from: timestamp) }
    }

    func senderReport(_ track: TrackID, rtpTimestamp: Int64, ntp: NTPTime, at now: Instant) {
        guard let owner = owners[track] else { return }
        clocks[owner]?.senderReport(track, rtpTimestamp: rtpTimestamp, ntp: ntp, at: now)
    }

    /// Skips a picture without decoding it: its peer's clock goes on all the same.
    func passOver(_ frame: IncomingFrame, of track: TrackID) {
        guard let owner = owners[track] else { return }
        clocks[owner]?.arrived(
            track, rtpTimestamp: frame.timestamp, ready: frame.ready, at: frame.arrival)
        video(track)?.passOver()
    }

    /// - Returns: the peer that is heard, its level in -dBov, and the length; nil for pictures,
    ///   unwanted tracks and sound that is not its owner's voice, such as a shared screen's.
    func receive(
        _ frame: IncomingFrame, of track: TrackID
    ) -> (peer: PeerID, level: Int, length: Duration)? {
        guard let owner = owners[track], let source = sources[track],
            let clock = clocks.index(forKey: owner)
        else { return nil }
        clocks.values[clock].arrived(
            track, rtpTimestamp: frame.timestamp, ready: frame.ready, at: frame.arrival)
        let presentation: (Int64) -> Instant? = {
            self.clocks.values[clock].presentation(of: track, rtpTimestamp: $0)
        }
        switch source {
        case .audio(let audio):
            let heard = audio.receive(
                frame, presentation: presentation, slid: clocks.values[clock].slid,
                isQuiet: { self.clocks.values[clock].soundIsQuiet(at: frame.arrival) })
            guard let heard, voices.contains(track) else { return nil }
            return (owner, heard.level, heard.length)
        case .video(let video):
            switch video.receive(frame, presentation: presentation) {
            case .taken:
                if reasons[track] != nil, !video.isUndecodable { leaveOut(track, because: nil) }
            case .waiting: break
            case .keyframeNeeded: emit(.keyframeNeeded(track))
            case .tooLarge(let size):
                leaveOut(
                    track,
                    because: "the video is \(size.width)x\(size.height), which is more pixels than "
                        + "the 3840x2160 that are decoded")
            case .undecodable(let error): leaveOut(track, because: "\(error)")
            }
            return nil
        }
    }

    // MARK: Inside

    /// - Parameter reason: nil when the track is not left out any more.
    private func leaveOut(_ track: TrackID, because reason: String?) {
        reasons[track] = reason
        if let reason, let codec = codecs[track] {
            emit(.undecodable(track, codec, reason: reason))
        }
        tellLeftOut()
    }

    private func tellLeftOut() {
        guard !reasons.isEmpty || !leftOut.isEmpty else { return }
        let now = (peers ?? []).flatMap { peer in
            peer.tracks.compactMap { track in
                reasons[track.id].map {
                    LeftOutTrack(track: track.id, peer: peer.id, name: peer.name, reason: $0)
                }
            }
        }
        guard now != leftOut else { return }
        leftOut = now
        emit(.tracksLeftOut(now))
    }

    /// Whether the stream needs such a track of the peer.
    private func isWanted(_ isVideo: Bool, of peer: SourcePeer) -> Bool {
        isVideo ? !configuration.sound.isAlone : roles?.contains(peer.role) ?? true
    }

    private func cutUnwanted() {
        for peer in peers ?? [] {
            for track in peer.tracks where !isWanted(track.isVideo, of: peer) {
                if case .audio(let audio) = sources[track.id] { audio.cut() }
                detach(track.id)
            }
        }
    }

    private func detach(_ track: TrackID) {
        guard case .audio(let audio) = sources.removeValue(forKey: track) else { return }
        // Before the output begins there is nothing to play.
        if output != nil { departed.append(audio) }
    }

    /// Gives a track its decoder and its place on its peer's clock, once it is announced and flows.
    /// Returns whether this happened now.
    @discardableResult
    private func attach(_ track: SourceTrack, of peer: SourcePeer) -> Bool {
        guard sources[track.id] == nil, let codec = codecs[track.id],
            isWanted(codec.isVideo, of: peer)
        else { return false }
        do throws(CodecError) {
            if codec.isVideo {
                let video = try VideoSource(
                    codec: codec, isScreen: track.source == .presentation,
                    lastSign: { [unowned self, id = peer.id] in clocks[id]?.lastSign })
                // Some cameras send black pictures while they are off.
                video.setMuted(track.isMuted)
                sources[track.id] = .video(video)
            } else {
                let audio = try AudioSource()
                audio.setMuted(track.isMuted)
                if let listener = configuration.listener, track.isVoice {
                    audio.listener = { [id = track.id] in listener.hear($0, at: $1, of: id) }
                }
                if let output { audio.begin(output.clock, position: output.position) }
                sources[track.id] = .audio(audio)
            }
        } catch {
            // Left out until it is published again with a codec that can be opened.
            leaveOut(track.id, because: "\(error)")
            codecs[track.id] = nil
            return false
        }
        if reasons[track.id] != nil { leaveOut(track.id, because: nil) }
        clocks[peer.id, default: newClock]
            .addTrack(track.id, clockRate: codec.clockRate, isSound: !codec.isVideo)
        return true
    }

    private var newClock: SourceClock {
        // Sound is mixed a whole frame at a time, so it must be there a frame earlier.
        SourceClock(
            playoutDelay: configuration.playoutDelay,
            reserve: Self.decodingReserve + .seconds(1) / configuration.frameRate)
    }
}
