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

/// A room without sockets, on a simulated network with fake time: one that publishes a video in
/// three layers and a sound, and one that watches it over a way of limited rate.
final class SimulatedRoom {
    static let step: Duration = .milliseconds(5)
    static let delay: Duration = .milliseconds(20)
    /// What waits before the narrow part of a way; more is lost.
    static let queueMaximum: Duration = .milliseconds(300)
    static let server = TransportAddress(ipv4: 192, 0, 2, 1, port: 50_000)
    /// When rooms in fake time begin: no two runs differ in where the grid of transport feedback's
    /// times falls. Not at the origin, which stands for what never was.
    static let beginning = Instant.zero + .seconds(1000)

    private struct Datagram {
        let arrival: Instant
        let order: Int
        let bytes: [UInt8]
        let deliver: (SimulatedRoom, [UInt8]) -> Void
    }

    /// What the server sends to one end.
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
    /// What the microphone gives at a time.
    var microphone: (Instant) -> [RTPPacket] = { _ in [] }
    /// What the viewer's way carries, in bits per second.
    var rate = 100_000_000
    /// Of so many datagrams to the viewer one is lost, however wide its way is; 0 for none.
    var losesOneOf = 0
    /// What share of the camera's media is lost on its way.
    var cameraLoss = 0.0
    private var random = SeededRandom(seed: 1)
    /// Whether the viewer asks for lost packets of the video, again and again.
    var asksForLost = false
    /// Whether the server asks the camera for packets that have come.
    var asksForWhatCame = false
    private var missing = NACKGenerator(.insistent)
    /// Datagrams to the viewer that were lost on the way.
    private(set) var lost = 0
    /// Packets of the video that the viewer got, with the time.
    private(set) var seen: [(at: Instant, packet: RTPPacket)] = []
    /// Packets of the sound.
    private(set) var sound: [RTPPacket] = []
    /// Sender reports of the sound that the viewer got.
    private(set) var soundReports = 0
    /// Key frames that the camera was asked for.
    private(set) var keyframesRequested = 0
    /// Texts that the viewer got on its channel.
    private(set) var heard: [String] = []

    init() throws {
        now = Self.beginning
        let identity = try DTLSIdentity.generate()
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        loop = MediaLoop(
            eventLoop: eventLoop, index: 0,
            directory: LoopDirectory(eventLoops: [eventLoop]), identity: identity,
            logger: Logger(label: "test"))
        loop.ports.advertised = [Self.server]
        let (events, sink) = AsyncStream.makeStream(of: MediaEvent.self)
        offers = events.makeAsyncIterator()
        room = RoomForwarder(id: "room", loop: loop, events: sink)
        loop.adopt(room)
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
    ///   - asksForVideos: the viewer does.
    ///   - isRecorder: the viewer is one.
    static func connected(
        asksForVideos: Bool = false, isRecorder: Bool = false
    ) async throws -> SimulatedRoom {
        let room = try SimulatedRoom()
        try await room.connect(asksForVideos: asksForVideos, isRecorder: isRecorder)
        return room
    }

    private func connect(asksForVideos: Bool, isRecorder: Bool) async throws {
        try room.addPeer("camera", at: now)
        try room.addPeer(
            "viewer", asksForVideos: asksForVideos, isRecorder: isRecorder, at: now)
        mid = try camera.add(.simulcast("video"))
        soundMID = try camera.add(.repairedAudio("sound"))
        try publish("camera", from: camera)
        // Who watches publishes too, though nothing: its first offer opens its way.
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

    /// Sets how the viewer is to receive the video.
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

    /// What the viewer was last told to flow.
    var told: TrackLayers? { subscription?.told }
    /// Share of what was sent to the viewer that is taken for lost.
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

    /// The viewer's, to a track of the camera.
    func subscription(to track: TrackID) -> Subscription? {
        room.tracks[TrackKey(track, of: "camera")]?.subscriptions["viewer"]
    }

    /// The viewer's sections of the sound.
    private var soundMIDs: Set<String> {
        Set(viewer.incomingTracks.filter { $0.trackID == "sound" }.map(\.mid))
    }

    /// The id of a header extension on what the microphone sends.
    func microphoneExtension(_ uri: String) -> UInt8? { camera.headerExtensions[uri] }

    /// The microphone says which time its next packet is of.
    func reportSound() {
        camera.sendSenderReport(mid: soundMID, ntp: NTPTime(unixNanoseconds: 0), rtpTimestamp: 0)
    }

    /// The viewer asks for a key frame of the video.
    func requestKeyframe() {
        guard let mid = viewer.incomingTracks.first(where: { $0.trackID == "video" })?.mid else {
            return
        }
        viewer.requestKeyframe(mid: mid)
    }

    /// The viewer says something on its channel.
    func say(_ text: String) {
        viewer.send(text, on: room.channel.label, at: now)
    }

    /// What the room has told since it was last asked, of texts that came over channels.
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

    /// Tracks of which the room has told since that more came than may go on.
    func excessTold() async -> Set<TrackID?> {
        room.emit(.activeSpeakers([]))
        var tracks: Set<TrackID?> = []
        while let event = await offers.next() {
            switch event {
            case .excessMedia(_, let track): tracks.insert(track)
            // The room's own have somebody to tell of.
            case .activeSpeakers(let speakers) where speakers.isEmpty: return tracks
            default: continue
            }
        }
        return tracks
    }

    /// Of the loop.
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
        guard let publish = room.peers["camera"]?.publish else { return }
        publish.core.requestRetransmission(
            of: [packet.sequenceNumber], mid: mid, encoding: encoding)
        loop.drain(publish, at: now)
    }

    /// Lets time pass until it is so, but not for longer. Gives how long it took.
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
                        viewer.requestRetransmission(of: missing.poll(at: now), mid: packet.mid)
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
            arrival = way.busyUntil + Self.delay
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
    /// As browsers are.
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
