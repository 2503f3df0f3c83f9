import Datagrams
import ICE
import Logging
import MediaKernel
import NIOPosix
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

/// Tests of a whole room in fake time: usrsctp has one clock per process, so they take turns.
@Suite("Simulated rooms", .serialized)
enum SimulatedRoomTests {}

/// A room without sockets, on a simulated network with fake time: one peer publishes a video in
/// three layers and audio, and one watches over a path of limited rate.
final class SimulatedRoom {
    static let step: Duration = .milliseconds(5)
    static let delay: Duration = .milliseconds(20)
    /// The longest queue before the bottleneck of a path; further packets are lost.
    static let queueMaximum: Duration = .milliseconds(300)
    static let server = TransportAddress(ipv4: 192, 0, 2, 1, port: 50_000)
    /// The start time of rooms in fake time, so that the grid of transport feedback's times is the
    /// same in all runs. Not the origin, which means that something never happened.
    static let beginning = Instant.zero + .seconds(1000)

    private struct Datagram {
        let arrival: Instant
        let order: Int
        let bytes: [UInt8]
        let deliver: (SimulatedRoom, [UInt8]) -> Void
    }

    /// The datagrams that the server sends to one end.
    private final class Way: DatagramSink {
        unowned let owner: SimulatedRoom
        let end: PeerConnection
        var busyUntil = Instant.zero

        init(_ owner: SimulatedRoom, _ end: PeerConnection) {
            self.owner = owner
            self.end = end
        }

        func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?) {
            owner.transmit(bytes, over: self)
        }
    }

    private(set) var now: Instant
    let room: RoomForwarder
    private let loop: MediaLoop
    private var offers: AsyncStream<MediaEvent>.AsyncIterator
    private var inFlight: [Datagram] = []
    private var sentCount = 0
    private var sentToViewer = 0
    private let camera: PeerConnection
    private let viewer: PeerConnection
    private var ways: [Way] = []
    private var connections: [Connection] = []
    private var mid = ""
    private var soundMID = ""
    var source = LayeredSource()
    /// The packets of the microphone at a time.
    var microphone: (Instant) -> [RTPPacket] = { _ in [] }
    /// The capacity of the viewer's path, in bits per second.
    var rate = 100_000_000
    /// What the viewer's path adds to the delay of a datagram that is sent now.
    var hold: (Instant) -> Duration = { _ in .zero }
    /// One in this many datagrams to the viewer is lost, regardless of its capacity; 0 for none.
    var losesOneOf = 0
    /// The share of the camera's media that is lost on its path.
    var cameraLoss = 0.0
    private var random = SeededRandom(seed: 1)
    /// Whether the viewer requests lost packets of the video, repeatedly.
    var asksForLost = false
    /// Whether the server requests packets from the camera that have arrived.
    var asksForWhatCame = false
    private var missing = NACKGenerator(.insistent)
    /// Datagrams to the viewer that were lost on the path.
    private(set) var lost = 0
    /// Packets of the video that the viewer received, with the time.
    private(set) var seen: [(at: Instant, packet: RTPPacket)] = []
    /// Packets of the audio.
    private(set) var sound: [RTPPacket] = []
    /// Sender reports of the audio that the viewer received.
    private(set) var soundReports = 0
    /// The number of key frames requested from the camera.
    private(set) var keyframesRequested = 0
    /// Texts that the viewer received on its channel.
    private(set) var heard: [String] = []

    init() throws {
        now = Self.beginning
        let identity = try DTLSIdentity.generate()
        loop = .alone(identity)
        let (events, sink) = AsyncStream.makeStream(of: MediaEvent.self)
        offers = events.makeAsyncIterator()
        room = loop.room(sink)
        let start = now
        func client(_ number: UInt8, _ channel: String?) -> PeerConnection {
            PeerConnection(
                configuration: .init(
                    identity: identity, mode: .full(controlling: true),
                    localCandidates: [
                        .host(TransportAddress(ipv4: 192, 0, 2, number, port: 40_000))
                    ],
                    canonicalName: "client", dataChannel: channel.map { ChannelFormat(label: $0) },
                    seed: UInt64(number)),
                at: start)
        }
        camera = client(10, "ion-sfu")
        viewer = client(20, nil)
    }

    /// Lets both join and the video begin.
    ///
    /// - Parameters:
    ///   - asksForVideos: whether the viewer requests videos.
    ///   - isRecorder: whether the viewer is a recorder.
    static func connected(
        asksForVideos: Bool = false, isRecorder: Bool = false
    ) async throws -> SimulatedRoom {
        let room = try SimulatedRoom()
        try await room.connect(asksForVideos: asksForVideos, isRecorder: isRecorder)
        return room
    }

    private func connect(asksForVideos: Bool, isRecorder: Bool) async throws {
        try room.addPeer(
            "camera", layerNames: LayerNames(["f": .high, "h": .medium, "q": .low]), at: now)
        try room.addPeer(
            "viewer", asksForVideos: asksForVideos, isRecorder: isRecorder, at: now)
        mid = try camera.add(.simulcast("video"))
        soundMID = try camera.add(.repairedAudio("sound"))
        try publish("camera", from: camera)
        // The viewer publishes too, though no tracks: its first offer opens its path.
        let idle = try idleConnection()
        try publish("viewer", from: idle)
        subscribe()
        try adopt(room.peers["camera"]?.publish, end: camera)
        run(for: .seconds(1))
        while let event = await offers.next() {
            guard case .subscribeOffer("viewer", let offer, _) = event else { continue }
            let answer = try viewer.answer(offer, at: now)
            try room.subscribeAnswer(answer, from: "viewer", at: now)
            if offer.media.contains(where: { $0.kind == .video }) { break }
        }
        try adopt(room.peers["viewer"]?.subscribe, end: viewer)
        run(for: .seconds(1))
        try #require(viewer.state == .connected && camera.state == .connected)
    }

    private func idleConnection() throws -> PeerConnection {
        PeerConnection(
            configuration: .init(
                identity: try DTLSIdentity.generate(), mode: .full(controlling: true),
                localCandidates: [], canonicalName: "idle",
                dataChannel: ChannelFormat(label: "texts"), seed: 3),
            at: now)
    }

    private func publish(_ peer: PeerID, from end: PeerConnection) throws {
        let offer = try end.createOffer(at: now)
        try end.accept(answer: try room.publishOffer(offer, from: peer, at: now), at: now)
    }

    private func adopt(_ connection: Connection?, end: PeerConnection) throws {
        let connection = try #require(connection)
        let way = Way(self, end)
        connection.setRoute(Route(sink: way), to: address(of: end))
        connections.append(connection)
        ways.append(way)
    }

    private func address(of end: PeerConnection) -> TransportAddress {
        TransportAddress(ipv4: 192, 0, 2, end === camera ? 10 : 20, port: 40_000)
    }

    // MARK: What the test looks at

    /// Sets the viewer's subscription to the video.
    func subscribe(maximum: Int? = nil, lossRule: LossDegradationRule? = nil) {
        room.setSubscriptions(
            .init(
                peer: "viewer",
                tracks: [
                    .init(id: "video", publisher: "camera", isVideo: true),
                    .init(id: "sound", publisher: "camera", isVideo: false),
                ],
                bitsPerSecondMaximum: maximum, lossDegradation: lossRule),
            at: now)
    }

    /// The layers last reported to the viewer.
    var told: TrackLayers? { subscription?.told }
    /// The share of datagrams to the viewer that count as lost.
    var loss: Double? { room.peers["viewer"]?.subscribe?.core.loss(at: now) }
    /// 0…5.
    var quality: Int? { room.peers["viewer"]?.quality.score }

    func prefer(_ layer: LayerPreference) {
        room.setPreference(layer, track: "video", of: "viewer", at: now)
    }

    /// The layer that flows to the viewer, by its place among the publisher's, best first.
    var current: Int? { subscription?.forwarder.current?.encoding }
    var beginnings: Int { subscription?.forwarder.beginnings ?? 0 }
    var isLimited: Bool { subscription?.isLimited ?? false }

    private var subscription: Subscription? { subscription(to: "video") }

    /// The viewer's subscription to a track of the camera.
    func subscription(to track: TrackID) -> Subscription? {
        room.tracks[TrackKey(track, of: "camera")]?.subscriptions["viewer"]
    }

    /// The viewer's sections of the audio.
    private var soundMIDs: Set<String> {
        Set(viewer.incomingTracks.filter { $0.trackID == "sound" }.map(\.mid))
    }

    /// The id of a header extension on the microphone's packets.
    func microphoneExtension(_ uri: String) -> UInt8? { camera.headerExtensions[uri] }

    /// The microphone reports the time of its next packet.
    func reportSound() {
        guard let stream = camera.outboundStream(soundMID) else { return }
        camera.sendSenderReport(on: stream, ntp: NTPTime(unixNanoseconds: 0), rtpTimestamp: 0)
    }

    /// The viewer requests a key frame of the video.
    func requestKeyframe() {
        guard let mid = viewer.incomingTracks.first(where: { $0.trackID == "video" })?.mid,
            let section = viewer.section(mid: mid)
        else { return }
        viewer.requestKeyframe(in: section)
    }

    /// The viewer sends a text on its channel.
    func say(_ text: String) {
        viewer.send(text, on: room.channel.label, at: now)
    }

    /// The number of texts from channels that the room has reported since the last call.
    func textsTold() async -> Int {
        room.emit(.activeSpeakers([]))
        var count = 0
        while let event = await offers.next() {
            switch event {
            case .dataText: count += 1
            case .activeSpeakers: return count
            default: continue
            }
        }
        return count
    }

    /// How often the room has reported the viewer's layers since the last call.
    func layersTold() async -> Int {
        room.emit(.activeSpeakers([]))
        var count = 0
        while let event = await offers.next() {
            switch event {
            case .trackLayers: count += 1
            // The room's own events always have speakers.
            case .activeSpeakers(let speakers) where speakers.isEmpty: return count
            default: continue
            }
        }
        return count
    }

    /// Tracks for which the room has reported excess packets since the last call.
    func excessTold() async -> Set<TrackID?> {
        room.emit(.activeSpeakers([]))
        var tracks: Set<TrackID?> = []
        while let event = await offers.next() {
            switch event {
            case .excessMedia(_, let track): tracks.insert(track)
            // The room's own events always have speakers.
            case .activeSpeakers(let speakers) where speakers.isEmpty: return tracks
            default: continue
            }
        }
        return tracks
    }

    /// The loop's figures.
    var figures: MediaFigures { loop.figures }

    func packets(since begin: Instant) -> Int { seen.count { $0.at >= begin } }

    // MARK: Time

    func run(for duration: Duration) {
        let end = now + duration
        while now < end {
            now += Self.step
            deliver()
            if camera.canSendMedia {
                for (encoding, packet) in source.due(at: now) {
                    camera.send(packet, mid: mid, encoding: encoding, at: now)
                    if asksForWhatCame { askAgain(for: packet, encoding) }
                }
                for packet in microphone(now) { camera.send(packet, mid: soundMID, at: now) }
            }
            loop.tick(at: now)
            for client in [camera, viewer] {
                if let deadline = client.nextDeadline, deadline <= now {
                    client.handleTimeout(at: now)
                } else {
                    client.settleChannels(at: now)
                }
            }
            drain()
        }
    }

    private func askAgain(for packet: RTPPacket, _ encoding: Int) {
        guard let publish = room.peers["camera"]?.publish,
            let section = publish.core.section(mid: mid)
        else { return }
        publish.core.requestRetransmission(
            of: [packet.sequenceNumber], in: section, encoding: encoding)
        loop.drain(publish, at: now)
    }

    /// Lets time pass until the condition holds, but not longer than `limit`. Returns the time it
    /// took.
    func run(upTo limit: Duration, until isTrue: (SimulatedRoom) -> Bool) -> Duration? {
        let begin = now
        while now - begin < limit {
            run(for: Self.step)
            if isTrue(self) { return now - begin }
        }
        return nil
    }

    private func deliver() {
        let due = inFlight.filter { $0.arrival <= now }
            .sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
        inFlight.removeAll { $0.arrival <= now }
        for datagram in due { datagram.deliver(self, datagram.bytes) }
        drain()
    }

    private func drain() {
        for (way, connection) in zip(ways, connections) {
            while let output = way.end.poll() {
                switch output {
                case .transmit(let bytes, _):
                    if way.end === camera, bytes.first.map({ $0 & 0xC0 == 0x80 }) == true,
                        cameraLoss > 0, Double.random(in: 0..<1, using: &random) < cameraLoss
                    {
                        continue
                    }
                    post(bytes, arrival: now + Self.delay) { room, bytes in
                        connection.core.handle(
                            bytes, from: room.address(of: way.end), at: room.now)
                        room.loop.drain(connection, at: room.now)
                    }
                case .media(let packet) where soundMIDs.contains(packet.mid):
                    sound.append(packet.packet)
                case .media(let packet):
                    seen.append((now, packet.packet))
                    missing.received(packet.packet.sequenceNumber, at: now)
                    if asksForLost {
                        viewer.requestRetransmission(
                            of: missing.poll(at: now), in: packet.section)
                    }
                case .keyframeRequested(_, let encoding):
                    keyframesRequested += 1
                    source.requestKeyframe(of: encoding)
                case .channelMessage(_, .text(let text)): heard.append(text)
                case .senderReport(let mid, _, _, _) where soundMIDs.contains(mid):
                    soundReports += 1
                case .senderReport, .stateChanged, .channelOpened, .channelMessage,
                    .channelClosed:
                    break
                }
            }
        }
    }

    private func transmit(_ bytes: [UInt8], over way: Way) {
        var arrival = now + Self.delay
        if way.end === viewer {
            let start = max(now, way.busyUntil)
            guard start - now <= Self.queueMaximum else {
                lost += 1
                return
            }
            sentToViewer += 1
            guard losesOneOf == 0 || sentToViewer % losesOneOf != 0 else {
                lost += 1
                return
            }
            way.busyUntil = start + .seconds(1) * (bytes.count * 8) / rate
            arrival = way.busyUntil + Self.delay + hold(now)
        }
        post(bytes, arrival: arrival) { room, bytes in
            way.end.handle(bytes, from: Self.server, at: room.now)
        }
    }

    private func post(
        _ bytes: [UInt8], arrival: Instant,
        deliver: @escaping (SimulatedRoom, [UInt8]) -> Void
    ) {
        sentCount += 1
        inFlight.append(
            Datagram(arrival: arrival, order: sentCount, bytes: bytes, deliver: deliver))
    }
}

extension NACKGenerator.Configuration {
    /// Like browsers.
    fileprivate static var insistent: Self {
        var configuration = Self()
        configuration.triesMaximum = 100
        configuration.abandonAfter = .seconds(2)
        return configuration
    }
}

extension OutgoingTrack {
    fileprivate static func repairedAudio(_ id: String) -> OutgoingTrack {
        var track = audio(id)
        track.isRepaired = true
        return track
    }

    fileprivate static func simulcast(_ id: String) -> OutgoingTrack {
        var track = video(id)
        track.rids = ["f", "h", "q"]
        return track
    }
}

extension MediaLoop {
    /// A loop without sockets. A room does not own its loop.
    static func alone(_ identity: DTLSIdentity) -> MediaLoop {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let loop = MediaLoop(
            eventLoop: eventLoop, index: 0,
            directory: LoopDirectory(eventLoops: [eventLoop]), identity: identity,
            logger: Logger(label: "test"))
        loop.ports.advertised = [SimulatedRoom.server]
        return loop
    }

    /// A room on this loop.
    func room(_ events: AsyncStream<MediaEvent>.Continuation) -> RoomForwarder {
        let room = RoomForwarder(id: "room", loop: self, events: events)
        adopt(room)
        return room
    }
}
