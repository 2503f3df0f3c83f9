import Logging
import MediaKernel
import NIOPosix
import RTP
import SecureTransport

@testable import Datagrams
@testable import MediaServer
@testable import PeerConnection

/// One room of a media loop without sockets: every peer
/// publishes and receives all others; some speak.
final class CrowdedRoom {
    private static let server = TransportAddress(ipv4: 192, 0, 2, 1, port: 50_000)
    private static let step: Duration = .milliseconds(10)
    /// Of speech.
    private static let interval: Duration = .milliseconds(20)

    private var now = Instant.zero + .seconds(1000)
    private let loop: MediaLoop
    private let room: RoomForwarder
    private let port = FakePort()
    private let attendees: [Attendee]
    private let speakers: Int
    private let isVideo: Bool
    /// Datagrams of the speakers that are to be forwarded, in order.
    private var waiting: [(bytes: [UInt8], address: TransportAddress)] = []

    init(peers: Int, speakers: Int, isVideo: Bool) throws {
        let identity = try DTLSIdentity.generate()
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        loop = MediaLoop(
            eventLoop: eventLoop, index: 0, directory: LoopDirectory(eventLoops: [eventLoop]),
            identity: identity, logger: Logger(label: "forwarding-cost"))
        loop.ports.sockets = [port]
        loop.ports.advertised = [Self.server]
        let (_, events) = AsyncStream.makeStream(of: MediaEvent.self)
        room = RoomForwarder(id: "room", loop: loop, events: events)
        loop.adopt(room)
        let start = now
        attendees = (0..<peers).map { number in
            Attendee(number, isVideo: isVideo, identity: identity, at: start)
        }
        self.speakers = min(speakers, peers)
        self.isVideo = isVideo
    }

    // MARK: Joining

    /// Joins all peers and waits until each receives all the others.
    func connect() throws {
        for attendee in attendees {
            try room.addPeer(attendee.id, at: now)
            let offer = try attendee.offer(at: now)
            let answer = try room.publishOffer(offer, from: attendee.id, at: now)
            try attendee.publish.accept(answer: answer, at: now)
        }
        let tracks = attendees.map {
            WantedTrack(id: TrackID($0.id.rawValue), publisher: $0.id, isVideo: isVideo)
        }
        for attendee in attendees {
            room.setSubscriptions(.init(peer: attendee.id, tracks: tracks), at: now)
        }
        for _ in 0..<3 {
            for attendee in attendees { try answerOffer(attendee) }
            run(for: .seconds(1))
        }
        // Pictures begin with a key frame.
        for _ in 0..<50 {
            for attendee in attendees.prefix(speakers) { attendee.speak(at: now) }
            run(for: Self.interval)
        }
    }

    private func answerOffer(_ attendee: Attendee) throws {
        guard let core = room.peers[attendee.id]?.subscribe?.core, core.isOfferOutstanding else {
            return
        }
        // The same once more, as nobody reads the room's events.
        let answer = try attendee.subscribe.answer(core.createOffer(at: now), at: now)
        try room.subscribeAnswer(answer, from: attendee.id, at: now)
    }

    private func run(for duration: Duration) {
        let end = now + duration
        while now < end {
            now += Self.step
            deliver()
            loop.tick(at: now)
            deliver()
        }
    }

    private func deliver() {
        for end in attendees.flatMap(\.ends) {
            end.core.handleTimeout(at: now)
            while let output = end.core.poll() {
                guard case .transmit(let bytes, _) = output else { continue }
                loop.received(bytes, from: end.address, port: 0, at: now)
            }
        }
        let ends = Dictionary(
            uniqueKeysWithValues: attendees.flatMap(\.ends).map { ($0.address, $0.core) })
        for (bytes, address) in port.takeKept() {
            ends[address]?.handle(bytes, from: Self.server, at: now)
        }
    }

    // MARK: Forwarding

    /// Has each speaker make this many packets.
    func fill(packets: Int) {
        for _ in 0..<packets {
            for attendee in attendees.prefix(speakers) {
                attendee.speak(at: now)
                while let output = attendee.publish.poll() {
                    guard case .transmit(let bytes, _) = output else { continue }
                    waiting.append((bytes, attendee.publishAddress))
                }
            }
        }
        port.isKeeping = false
    }

    /// Forwards the waiting datagrams.
    ///
    /// - Returns: the number of datagrams sent.
    @inline(never)
    func forward() -> Int {
        let before = port.sentDatagrams
        for index in waiting.indices {
            var datagram: [UInt8] = []
            swap(&datagram, &waiting[index].bytes)
            loop.received(consume datagram, from: waiting[index].address, port: 0, at: now)
            guard (index + 1) % speakers == 0 else { continue }
            loop.flush()
            now += Self.step
            loop.tick(at: now)
            now += Self.step
            loop.tick(at: now)
        }
        return port.sentDatagrams - before
    }
}
