import DataChannel
import ICE
import MediaKernel
import RTP
import SDP
import SecureTransport
import Testing

@testable import PeerConnection

/// All tests of whole connections: usrsctp has one clock per process, so they take turns.
@Suite("Peer connections", .serialized)
enum PeerConnectionTests {}

/// A full client and a lite server on a simulated wire with fake time: a fixed delay, seeded
/// loss and reordering. Losses begin when the test says so, since DTLS times its own handshake
/// by the machine's clock.
final class Wire {
    enum Side: CaseIterable {
        case client, server

        var other: Side { self == .client ? .server : .client }
        var address: TransportAddress {
            switch self {
            case .client: TransportAddress(ipv4: 192, 0, 2, 10, port: 40_000)
            case .server: TransportAddress(ipv4: 192, 0, 2, 1, port: 50_000)
            }
        }
    }

    /// One connection and its outputs.
    final class End {
        let core: PeerConnection
        var media: [IncomingPacket] = []
        var states: [PeerConnectionState] = []
        var reports: [(mid: String, ntp: NTPTime, rtpTimestamp: UInt32)] = []
        var keyframeRequests: [String] = []
        var channelEvents: [String] = []
        var channelProtocols: [String] = []
        var labels: [ChannelHandle: String] = [:]

        init(_ core: PeerConnection) { self.core = core }

        /// Sequence numbers of a section's packets, in order of arrival.
        func numbers(mid: String) -> [UInt16] {
            media.filter { $0.mid == mid }.map(\.packet.sequenceNumber.rawValue)
        }
    }

    private struct Datagram {
        let arrival: Instant
        let order: Int
        let bytes: [UInt8]
        let from: Side
    }

    static let step: Duration = .milliseconds(5)
    private static let identities = [Side.client: identity(), .server: identity()]

    private static func identity() -> DTLSIdentity {
        guard let identity = try? DTLSIdentity.generate() else { fatalError("no certificate") }
        return identity
    }

    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    let client: End
    let server: End
    var delay: Duration = .milliseconds(20)
    /// The most that is added to each datagram's delay, which reorders them.
    var jitter: Duration = .zero
    /// 0…1.
    var loss = 0.0
    /// Keeps a datagram from arriving.
    var drops: (Side, [UInt8]) -> Bool = { _, _ in false }
    /// RTCP of this side is decrypted into `controlPackets` instead of arriving.
    var interceptsControl: Side?
    private(set) var controlPackets: [(at: Instant, packet: RTCPPacket)] = []
    private(set) var sent: [(from: Side, bytes: [UInt8])] = []
    private var random: SeededRandom
    private var inFlight: [Datagram] = []
    private var sentCount = 0

    /// - Parameter channelOf: the side that opens a data channel, if any.
    /// - Parameter receivesVideo: whether the client receives video.
    init(channelOf: Side? = nil, receivesVideo: Bool = true, seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
        let start = now
        func end(_ side: Side, _ mode: ICEAgent.Mode) -> End {
            guard let identity = Self.identities[side] else { fatalError("no certificate") }
            return End(
                PeerConnection(
                    configuration: PeerConnection.Configuration(
                        identity: identity, mode: mode, localCandidates: [.host(side.address)],
                        canonicalName: "\(side)-cname",
                        dataChannel: channelOf == side
                            ? ChannelFormat(label: "ion-sfu", protocol: "SCTP") : nil,
                        receivesVideo: side == .server || receivesVideo,
                        seed: seed &* 2 &+ (side == .client ? 0 : 1)),
                    at: start))
        }
        client = end(.client, .full(controlling: true))
        server = end(.server, .lite)
    }

    func end(_ side: Side) -> End { side == .client ? client : server }

    // MARK: Descriptions

    /// A description after its transport through the signalling, as text.
    static func carried(_ description: SessionDescription) throws -> SessionDescription {
        try SessionDescription.parse(description.rendered())
    }

    /// One complete offer and answer.
    @discardableResult
    func negotiate(
        offering side: Side, restartsICE: Bool = false,
        changingAnswer change: (inout SessionDescription) -> Void = { _ in }
    ) throws -> (offer: SessionDescription, answer: SessionDescription) {
        let offerer = end(side).core
        let offer = try Self.carried(offerer.createOffer(restartsICE: restartsICE, at: now))
        var answer = try Self.carried(end(side.other).core.answer(offer, at: now))
        change(&answer)
        try offerer.accept(answer: answer, at: now)
        return (offer, answer)
    }

    /// Negotiates and waits for both ends to be connected.
    @discardableResult
    func connect(
        offering side: Side
    ) throws -> (offer: SessionDescription, answer: SessionDescription) {
        let descriptions = try negotiate(offering: side)
        try runUntilConnected()
        return descriptions
    }

    var areConnected: Bool {
        client.core.state == .connected && server.core.state == .connected
    }

    // MARK: Time

    /// Lets time pass in steps, processing all due events.
    func run(for duration: Duration, eachStep: (Wire) -> Void = { _ in }) {
        let end = now + duration
        drain()
        while now < end {
            now += Self.step
            deliver()
            DataChannelTransport.tick(at: now)
            for side in Side.allCases {
                let core = self.end(side).core
                if let deadline = core.nextDeadline, deadline <= now {
                    core.handleTimeout(at: now)
                } else {
                    core.settleChannels(at: now)
                }
            }
            eachStep(self)
            drain()
        }
    }

    /// Five seconds at most.
    func runUntilConnected() throws {
        for _ in 0..<1000 where !areConnected { run(for: Self.step) }
        try #require(areConnected)
    }

    private func deliver() {
        let due = inFlight.filter { $0.arrival <= now }
            .sorted { ($0.arrival, $0.order) < ($1.arrival, $1.order) }
        inFlight.removeAll { $0.arrival <= now }
        for datagram in due {
            end(datagram.from.other).core.handle(
                datagram.bytes, from: datagram.from.address, at: now)
        }
    }

    private func drain() {
        for side in Side.allCases {
            let end = end(side)
            while let output = end.core.poll() {
                switch output {
                case .transmit(let bytes, let address):
                    #expect(address == side.other.address)
                    transmit(bytes, from: side)
                case .stateChanged(let state): end.states.append(state)
                case .media(let packet): end.media.append(packet)
                case .senderReport(let mid, _, let ntp, let timestamp):
                    end.reports.append((mid, ntp, timestamp))
                case .keyframeRequested(let mid, _): end.keyframeRequests.append(mid)
                case .channelOpened(let channel, let label, let name):
                    end.labels[channel] = label
                    end.channelProtocols.append(name)
                    end.channelEvents.append("open \(label)")
                case .channelMessage(let channel, let message):
                    let label = end.labels[channel] ?? ""
                    switch message {
                    case .text(let text): end.channelEvents.append("\(label): \(text)")
                    case .binary(let bytes): end.channelEvents.append("\(label): \(bytes)")
                    }
                case .channelClosed(let channel):
                    end.channelEvents.append("closed \(end.labels[channel] ?? "")")
                }
            }
        }
    }

    private func transmit(_ bytes: [UInt8], from side: Side) {
        sent.append((side, bytes))
        let isControl = (128...191).contains(bytes.first ?? 0) && RTPPacket.isRTCP(bytes)
        if interceptsControl == side, isControl {
            var plain = bytes
            guard (try? end(side.other).core.security.dtls?.unprotectRTCP(&plain)) != nil,
                let packets = try? RTCPPacket.parseCompound(plain)
            else {
                Issue.record("a control packet that cannot be read")
                return
            }
            controlPackets += packets.map { (now, $0) }
            return
        }
        guard !drops(side, bytes), Double.random(in: 0..<1, using: &random) >= loss else { return }
        let extra = Int64.random(in: 0...jitter.nanoseconds, using: &random)
        sentCount += 1
        inFlight.append(
            Datagram(
                arrival: now + delay + .nanoseconds(extra), order: sentCount, bytes: bytes,
                from: side))
    }

    // MARK: Foreign packets

    /// Injects an RTP packet that `side`'s peer connection would not have made.
    func inject(_ packet: RTPPacket, from side: Side) throws {
        var bytes = packet.serialized()
        try #require(end(side).core.security.dtls).protectRTP(&bytes)
        transmit(bytes, from: side)
    }

    /// The same with an RTCP datagram of any contents.
    func inject(control plain: [UInt8], from side: Side) throws {
        var bytes = plain
        try #require(end(side).core.security.dtls).protectRTCP(&bytes)
        transmit(bytes, from: side)
    }

    /// Datagrams that begin with a ClientHello: one for each handshake, and more if OpenSSL, whose
    /// timer uses the machine's own clock, had to wait for an answer.
    var clientHellosSent: Int {
        // The record's type, epoch 0, and the message's type after the record's header.
        sent.count {
            $0.bytes.count > 13 && $0.bytes[0] == 22 && $0.bytes[13] == 1
                && $0.bytes[3] == 0 && $0.bytes[4] == 0
        }
    }
}

extension RTPPacket {
    /// The SSRC of an RTP datagram, whose header SRTP leaves in the clear.
    static func peekSSRC(_ bytes: [UInt8]) -> SSRC? {
        guard bytes.count >= 12 else { return nil }
        return SSRC(bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The same for its number.
    static func peekSequenceNumber(_ bytes: [UInt8]) -> SequenceNumber? {
        guard bytes.count >= 12 else { return nil }
        return SequenceNumber(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    }
}
