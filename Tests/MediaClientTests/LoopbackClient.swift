import Datagrams
import MediaKernel
import MediaServer
import NIOCore
import PeerConnection
import RTP
import SDP
import SecureTransport

@testable import MediaClient

/// The packets of a test client: recognisable, but not real media.
enum OutgoingMedia: String, CaseIterable, Sendable {
    case voice, camera

    /// The first packet of a VP8 key frame: payload descriptor, then frame header. RFC 7741.
    static let keyframe: [UInt8] = [0x10, 0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x10, 0, 0x10, 0]
    static let interframe: [UInt8] = [0x10, 0x11, 0x02, 0x00, 0x55]
    static let opus: [UInt8] = [0xFC, 0xFF, 0xFE]
    static let ntp = NTPTime(unixNanoseconds: 1_700_000_000_250_000_000)

    var track: OutgoingTrack {
        let isVideo = self == .camera
        let codec = CodecDescription(
            payloadType: 0, name: isVideo ? "VP8" : "opus", clockRate: isVideo ? 90_000 : 48_000,
            channels: isVideo ? nil : 2, feedback: isVideo ? ["nack", "nack pli", "ccm fir"] : [])
        return OutgoingTrack(
            streamID: "stream", trackID: rawValue, kind: isVideo ? .video : .audio,
            codecs: [codec], headerExtensions: isVideo ? [] : [HeaderExtensionURI.audioLevel],
            isRepaired: isVideo)
    }
}

/// A client's media without a room's signalling.
struct LoopbackClient: Sendable {
    struct Seen: Sendable {
        var packets: [String: [RTPPacket]] = [:]
        var reports: [String: NTPTime] = [:]
        var keyframeRequests: [String] = []
        var audioLevelID: UInt8?
        /// Packets that came between ticks, and those that came in a tick, before its own work.
        var packetsBetweenTicks = 0
        var packetsInTicks = 0

        var isEnough: Bool {
            OutgoingMedia.allCases.allSatisfy { packets[$0.rawValue, default: []].count >= 20 }
                && reports["voice"] != nil
        }
    }

    private let eventLoop: any EventLoop
    private let media: NIOLoopBound<ClientMedia>
    private let observer: NIOLoopBound<Observer>
    private let tracks: [OutgoingTrack]
    private let socket: NIOLoopBound<DatagramSocket>

    static func start(
        on eventLoop: any EventLoop, sending: [OutgoingMedia], receivesVideo: Bool = true,
        readingInterval: Duration? = nil
    ) async throws -> LoopbackClient {
        let identity = try DTLSIdentity.generate()
        let (observer, media) = try await eventLoop.submit {
            let observer = Observer(sending: sending, eventLoop: eventLoop)
            let media = ClientMedia(
                eventLoop: eventLoop, identity: identity, observer: observer,
                configuration: ClientMedia.Configuration(
                    channel: ChannelFormat(label: "texts"),
                    receivesVideo: receivesVideo, readingInterval: readingInterval),
                stateChanged: { _, _ in }, channelText: { _ in })
            return (
                NIOLoopBound(observer, eventLoop: eventLoop),
                NIOLoopBound(media, eventLoop: eventLoop)
            )
        }.get()
        var sockets: [NIOLoopBound<DatagramSocket>] = []
        for direction in [ConnectionDirection.publish, .subscribe] {
            let socket = try await DatagramSocket.bind(
                host: "0.0.0.0", port: 0, on: eventLoop, readsByItself: readingInterval == nil
            ) {
                DatagramSocket.Handlers(
                    received: { media.value.received($0, from: $1, direction) },
                    batchEnded: { media.value.flush() })
            }.get()
            sockets.append(socket)
        }
        let bound = sockets
        try await eventLoop.submit {
            media.value.start(publish: bound[0].value, subscribe: bound[1].value)
        }.get()
        return LoopbackClient(
            eventLoop: eventLoop, media: media, observer: observer, tracks: sending.map(\.track),
            socket: bound[0])
    }

    /// The offer of the publish connection.
    func offer() async throws -> SessionDescription {
        try await eventLoop.submit { [media, tracks] in
            try media.value.publishOffer(tracks: tracks)
        }.get()
    }

    /// The port of the publish connection's socket.
    func port() async throws -> UInt16 {
        try await eventLoop.submit { [socket] in socket.value.localAddress.port }.get()
    }

    func publish(in room: MediaRoom, as peer: PeerID) async throws {
        let offer = try await offer()
        let answer = try await room.offer(offer, on: .publish, from: peer)
        try await eventLoop.submit { [media] in try media.value.publishAnswer(answer) }.get()
    }

    func answer(_ offer: SessionDescription, in room: MediaRoom, as peer: PeerID) async throws {
        let answer = try await eventLoop.submit { [media] in
            try media.value.subscribeOffer(offer)
        }.get()
        try await room.answer(answer, from: peer)
    }

    func seen() async throws -> Seen {
        try await eventLoop.submit { [observer] in observer.value.seen }.get()
    }

    func stop() async throws {
        try await eventLoop.submit { [media] in media.value.stop() }.get()
    }
}

/// Sends a packet of each track every 10 ms and records the received ones.
private final class Observer: ClientMediaObserver {
    var seen = LoopbackClient.Seen()
    private let sending: [OutgoingMedia]
    private weak var media: ClientMedia?
    private var number = 65_500
    private var wantsKeyframe = false
    private let eventLoop: any EventLoop
    private var ticks = 0

    init(sending: [OutgoingMedia], eventLoop: any EventLoop) {
        self.sending = sending
        self.eventLoop = eventLoop
    }

    func start(_ media: ClientMedia) { self.media = media }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {
        if track.kind == .audio {
            seen.audioLevelID = media?.extensions(of: track)[HeaderExtensionURI.audioLevel]
        }
        seen.packets[track.trackID, default: []].append(packet.packet)
        let ticksBefore = ticks
        // Runs as soon as the current work is done.
        eventLoop.assumeIsolated().execute {
            if self.ticks == ticksBefore {
                self.seen.packetsBetweenTicks += 1
            } else {
                self.seen.packetsInTicks += 1
            }
        }
    }

    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {
        seen.reports[track.trackID] = ntp
    }

    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {}

    func keyframeRequested(trackID: String, encoding: Int, at now: Instant) {
        seen.keyframeRequests.append(trackID)
        wantsKeyframe = true
    }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {}

    func tick(at now: Instant) {
        ticks += 1
        guard let media else { return }
        number += 1
        for kind in sending {
            var extensions = HeaderExtensions()
            if kind == .voice,
                let id = media.outgoingExtensions[HeaderExtensionURI.audioLevel]
            {
                extensions.set(id, AudioLevel(voice: true, level: 10).extensionBytes)
            }
            media.send(
                RTPPacket(
                    marker: true, payloadType: PayloadType(0),
                    sequenceNumber: SequenceNumber(extended: Int64(number)),
                    timestamp: UInt32(number * 480), ssrc: SSRC(0), extensions: extensions,
                    payload: payload(of: kind)[...]),
                trackID: kind.rawValue, at: now)
            if number.isMultiple(of: 10) {
                media.sendSenderReport(
                    trackID: kind.rawValue, ntp: OutgoingMedia.ntp,
                    rtpTimestamp: UInt32(number * 480))
            }
        }
    }

    private func payload(of kind: OutgoingMedia) -> [UInt8] {
        guard kind == .camera else { return OutgoingMedia.opus }
        defer { wantsKeyframe = false }
        return wantsKeyframe ? OutgoingMedia.keyframe : OutgoingMedia.interframe
    }
}
