import Clocks
import ICE
import Logging
import MediaKernel
import NIOCore
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

/// A room with the only reader of its events.
final class TestRoom {
    let room: MediaRoom
    private var events: AsyncStream<MediaEvent>.AsyncIterator

    init(_ room: MediaRoom) {
        self.room = room
        events = room.events.makeAsyncIterator()
    }

    func addPeer(_ peer: PeerID) async throws { try await room.addPeer(peer) }

    func next() async -> MediaEvent? { await events.next() }

    /// The next offer for the peer's subscribe connection; other events are skipped.
    func nextOffer(for peer: PeerID) async throws -> SessionDescription {
        while let event = await next() {
            guard case .subscribeOffer(peer, let offer, _) = event else { continue }
            return offer
        }
        throw RoomEnded()
    }

    struct RoomEnded: Error {}
}

/// Runs `body` with a room of a server on loopback.
func withRoom(
    advertised: [TransportAddress] = [], _ body: (TestRoom) async throws -> Void
) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await MediaServer.start(
        configuration: .init(bindHosts: ["127.0.0.1"], port: 0, advertised: advertised),
        group: group, logger: Logger(label: "test"))
    let room = try await server.makeRoom("room")
    do {
        try await body(TestRoom(room))
    } catch {
        Issue.record(error)
    }
    await server.shutdown()
    try await group.shutdownGracefully()
}

/// The descriptions of a client, without sockets.
struct Participant {
    private let id: PeerID
    private let sending: PeerConnection
    private let receiving: PeerConnection
    private var mids: [String: String] = [:]

    init(_ id: PeerID, tracks: [OutgoingTrack]) throws {
        self.id = id
        let identity = try DTLSIdentity.generate()
        func connection(_ channel: String?) -> PeerConnection {
            var random = SecureRandom()
            return PeerConnection(
                configuration: .init(
                    identity: identity, mode: .full(controlling: true),
                    localCandidates: [.host(TransportAddress(ipv4: 127, 0, 0, 1, port: 9))],
                    canonicalName: id.rawValue,
                    dataChannel: channel.map { ChannelFormat(label: $0) }, seed: random.next()),
                at: MonotonicClock.now)
        }
        sending = connection("ion-sfu")
        receiving = connection(nil)
        for track in tracks {
            var track = track
            track.streamID = id.rawValue
            mids[track.trackID] = try sending.add(track)
        }
    }

    mutating func remove(_ track: String) {
        if let mid = mids.removeValue(forKey: track) { sending.remove(mid: mid) }
    }

    mutating func offer() throws -> String {
        try sending.createOffer(at: MonotonicClock.now).rendered()
    }

    /// Offers its tracks and applies the answer.
    mutating func publish(in room: TestRoom) async throws -> SessionDescription {
        let offer = try SessionDescription.parse(try offer())
        let answer = try await room.room.offer(offer, on: .publish, from: id)
        try sending.accept(answer: answer, at: MonotonicClock.now)
        return answer
    }

    mutating func answer(_ offer: SessionDescription, in room: TestRoom) async throws {
        let answer = try receiving.answer(offer, at: MonotonicClock.now)
        try await room.room.answer(answer, from: id)
    }

    /// Ids of the tracks that the server claims to send.
    var incoming: Set<String> {
        Set(receiving.incomingTracks.filter(\.isSending).map(\.trackID))
    }
}

extension OutgoingTrack {
    static func audio(_ id: String) -> OutgoingTrack {
        OutgoingTrack(
            streamID: "-", trackID: id, kind: .audio,
            codecs: [
                CodecDescription(
                    payloadType: 0, name: "opus", clockRate: 48_000, channels: 2,
                    feedback: ["transport-cc", "nack"])
            ], headerExtensions: [HeaderExtensionURI.audioLevel], isRepaired: false)
    }

    static func video(_ id: String) -> OutgoingTrack {
        OutgoingTrack(
            streamID: "-", trackID: id, kind: .video,
            codecs: [
                CodecDescription(
                    payloadType: 0, name: "VP8", clockRate: 90_000,
                    feedback: ["transport-cc", "ccm fir", "nack", "nack pli"])
            ], headerExtensions: [HeaderExtensionURI.videoOrientation], isRepaired: true)
    }
}
