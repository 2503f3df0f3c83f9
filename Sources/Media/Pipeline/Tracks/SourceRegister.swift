import Codec
import MediaKernel
import Stage

/// Which tracks there are and whose they are; what decodes each, and the clock of its peer.
///
/// A track has a decoder once the room has told of it, its media flows, and the stream has a use
/// for it; the first two come in either order. Owned by the director's thread.
final class SourceRegister {
    private enum Source {
        case video(VideoSource)
        case audio(AudioSource)
    }

    /// Time from a frame's being ready to its being in the queue, when all goes well.
    static let decodingReserve: Duration = .milliseconds(20)

    private let configuration: PipelineConfiguration
    private let emit: @Sendable (PipelineEvent) -> Void
    /// Roles that are heard; nil for everybody.
    private var roles: Set<String>?
    /// Nil until the room has told of anybody.
    private(set) var peers: [SourcePeer]?
    private var owners: [TrackID: PeerID] = [:]
    /// Sound by which its peer may take the word; other sound is only heard.
    private var voices: Set<TrackID> = []
    /// Tracks whose media has begun, whether or not the room has told us whose they are.
    private var codecs: [TrackID: SourceCodec] = [:]
    /// Tracks that are both told of and flowing.
    private var sources: [TrackID: Source] = [:]
    private var clocks: [PeerID: SourceClock] = [:]
    /// Why tracks are left out, until they can be decoded or are gone.
    private var reasons: [TrackID: String] = [:]
    /// As it was told last.
    private var leftOut: [LeftOutTrack] = []
    /// Sound that has ended and is still to be heard out.
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

    // MARK: What is asked of it

    func video(_ track: TrackID) -> VideoSource? {
        if case .video(let video) = sources[track] { video } else { nil }
    }

    var sounds: [AudioSource] {
        sources.values.compactMap { if case .audio(let audio) = $0 { audio } else { nil } }
    }

    /// Gives each only once.
    func takeDeparted() -> [AudioSource] {
        defer { departed = [] }
        return departed
    }

    /// What is being said now will be heard so much later.
    var longestDelay: Duration {
        clocks.values.map(\.playoutDelay).max() ?? configuration.playoutDelay.minimum
    }

    /// The output has samples up to this one; its clock has begun.
    func mixed(through position: Int64, _ clock: SampleClock) {
        if output == nil { for audio in sounds { audio.begin(clock, position: position) } }
        output = (clock, position)
    }

    /// What lies before a sample is not wanted any more.
    func goOn(at position: Int64, _ clock: SampleClock) {
        departed = []
        for audio in sounds { audio.begin(clock, position: position) }
        output = (clock, position)
    }

    // MARK: What it is told

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
                // Its first frames may have come before we knew whose they are.
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

    /// These roles are heard from now on; nil for everybody. Who is not is faded out at once, not
    /// heard out: what is on its way was said to others.
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

    /// A picture that is not to be decoded: its peer's clock goes on all the same.
    func passOver(_ frame: IncomingFrame, of track: TrackID) {
        guard let owner = owners[track] else { return }
        clocks[owner]?.arrived(
            track, rtpTimestamp: frame.timestamp, ready: frame.ready, at: frame.arrival)
        video(track)?.passOver()
    }

    /// - Returns: who is heard how loudly, in -dBov, and for how long; nil for a picture, for what is
    ///   not wanted and for what is not its owner's voice, such as a shared screen's sound.
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

    /// - Parameter reason: nil when it is not left out any more.
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

    /// Whether the stream has any use for such a track of the peer.
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
        // Before the output begins there is nothing to be heard.
        if output != nil { departed.append(audio) }
    }

    /// Gives a track its decoder and its place on its peer's clock, once it is told of and flows.
    /// Tells whether it was done now.
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
                // Some cameras that are off go on sending, black pictures.
                video.setMuted(track.isMuted)
                sources[track.id] = .video(video)
            } else {
                let audio = try AudioSource()
                audio.setMuted(track.isMuted)
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
