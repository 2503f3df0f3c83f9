import HundredMSTerms
import MediaKernel
import MediaServer
import RoomHost
import Rooms
import SDP
import Synchronization
import WHIP

/// A room with a fake media plane and a clock that only the test moves.
final class WHIPWorld: Sendable {
    let media = QuietMedia()
    let host: RoomHost
    let room: WHIPRoom

    init(policy: Policy = .standard, limits: RoomLimits = RoomLimits()) {
        let clock = Clock()
        self.clock = clock
        host = RoomHost(
            room: Room(id: "r1", name: "demo", policy: policy, limits: limits, seed: 7),
            media: media, streaming: NoStreams(), protocols: [WHIP()],
            clock: RoomClock(
                now: { clock.now.withLock { $0 } },
                wall: { UnixTime(milliseconds: 1_720_000_000_000) }))
        room = WHIPRoom(host)
    }

    private final class Clock: Sendable {
        let now = Mutex(Instant.zero)
    }

    private let clock: Clock

    /// Moves the clock, then ticks.
    func pass(_ duration: Duration) async {
        clock.now.withLock { $0 += duration }
        await host.tick()
    }

    /// Events of the media plane, processed when this returns.
    func hear(_ events: MediaEvent...) async {
        media.say(events)
        await host.run()
    }

    var peers: [Peer] { get async { await host.snapshot().peers } }

    static func client(role: String = "host", name: String = "") -> WHIPCaller {
        WHIPCaller(userID: "obs", tokenID: "t1", role: role, name: name)
    }

    /// A fragment with one candidate.
    static func candidate(_ address: String, fragment: String = "Ab12") -> String {
        "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=ice-ufrag:\(fragment)\r\n"
            + "a=ice-pwd:0123456789abcdef01234567\r\n"
            + "a=candidate:1 1 udp 1 \(address) 50000 typ host\r\n"
    }

    /// An offer of one audio and one video section, like OBS'.
    static func offer(
        _ kinds: [MediaSection.Kind] = [.audio, .video], fragment: String = "Ab12"
    ) -> String {
        let media = kinds.enumerated().map { index, kind in
            var section = MediaSection(kind: kind, mid: "\(index)", direction: .sendOnly)
            section.ice.usernameFragment = fragment
            section.ice.password = "0123456789abcdef01234567"
            section.rtp.codecs = [
                kind == .audio
                    ? CodecDescription(
                        payloadType: 111, name: "opus", clockRate: 48_000, channels: 2)
                    : CodecDescription(payloadType: 96, name: "VP8", clockRate: 90_000)
            ]
            section.rtp.msids = [MediaStreamIdentifier(stream: "obs", track: "obs-\(index)")]
            return section
        }
        var offer = SessionDescription(media: media)
        offer.bundledMIDs = media.compactMap(\.mid)
        return offer.rendered()
    }
}

/// A media plane that answers every offer with a new ICE generation.
final class QuietMedia: RoomMedia {
    private struct State {
        var stream = AsyncStream.makeStream(of: MediaEvent.self)
        var generation = 0
        var offers: [SessionDescription] = []
        var answers: [SessionDescription] = []
        var candidates: [String] = []
        var removed: [PeerID] = []
        var terms: [PeerID: PeerSubscriptions] = [:]
        var refusal: MediaServerError?
    }

    private let state = Mutex(State())

    var offers: [SessionDescription] { state.withLock { $0.offers } }
    var answers: [SessionDescription] { state.withLock { $0.answers } }
    var candidates: [String] { state.withLock { $0.candidates } }
    var removed: [PeerID] { state.withLock { $0.removed } }
    func terms(of peer: PeerID) -> PeerSubscriptions? { state.withLock { $0.terms[peer] } }
    func refuse(_ error: MediaServerError?) { state.withLock { $0.refusal = error } }

    var events: AsyncStream<MediaEvent> { state.withLock { $0.stream.stream } }

    /// The events end after these.
    func say(_ events: [MediaEvent]) {
        state.withLock { state in
            state.stream = AsyncStream.makeStream()
            for event in events { state.stream.continuation.yield(event) }
            state.stream.continuation.finish()
        }
    }

    func addPeer(
        _ peer: PeerID, asksForVideos: Bool, isRecorder: Bool, layerNames: LayerNames
    ) async throws {}

    func removePeer(_ peer: PeerID) async { state.withLock { $0.removed.append(peer) } }

    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription {
        try state.withLock { state in
            if let refusal = state.refusal { throw refusal }
            state.offers.append(offer)
            state.generation += 1
            var answer = offer
            answer.isICELite = true
            for index in answer.media.indices {
                answer.media[index].direction = .receiveOnly
                answer.media[index].ice.usernameFragment = "gen\(state.generation)"
                answer.media[index].ice.candidates = ["candidate:1 1 udp 1 192.0.2.1 3478 typ host"]
            }
            return answer
        }
    }

    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription {
        state.withLock { state in
            state.generation += 1
            let media = kinds.enumerated().map { index, kind in
                var section = MediaSection(kind: kind, mid: "\(index)", direction: .sendOnly)
                section.ice.usernameFragment = "gen\(state.generation)"
                section.ice.password = "0123456789abcdef01234567"
                return section
            }
            return SessionDescription(media: media)
        }
    }

    func answer(
        _ answer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws {
        try state.withLock { state in
            if let refusal = state.refusal { throw refusal }
            state.answers.append(answer)
        }
    }
    func closeConnection(_ key: ConnectionKey, of peer: PeerID) async {}
    func answerRefused(from peer: PeerID) async {}

    func trickle(_ candidate: String, on key: ConnectionKey, from peer: PeerID) async throws {
        if candidate.contains(".local") {
            throw MediaServerError.badDescription("the address is a name")
        }
        state.withLock { $0.candidates.append(candidate) }
    }

    func setSubscriptions(_ subscribers: [PeerSubscriptions]) async {
        state.withLock { state in
            for terms in subscribers { state.terms[terms.peer] = terms }
        }
    }

    func restartSubscribe(of peer: PeerID, signallingSocket: Int) async {}
    func setPreference(_ preference: LayerPreference, track: TrackID, of peer: PeerID) async {}
    func sendTexts(_ texts: [(peer: PeerID, text: String)]) async {}
}

/// WHIP clients start no streams.
private struct NoStreams: LiveStreaming {
    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws {}
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws {}
    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws {}
    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws {}
    func said(_ message: Message, room: RoomID) {}
    func unsaid(_ messages: [String], room: RoomID) {}
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws {}
}
