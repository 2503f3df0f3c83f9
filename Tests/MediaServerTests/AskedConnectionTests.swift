import Datagrams
import ICE
import MediaKernel
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing

@testable import MediaServer

extension SimulatedRoomTests {
    /// Connections on which the client offers to receive, as with WHEP players.
    @Suite struct AskedConnectionTests {
        /// One end of a connection without a network in between.
        private final class Way: DatagramSink {
            let core: PeerConnection
            let address: TransportAddress
            var connection: Connection?
            var toClient: [[UInt8]] = []
            var seen: [IncomingPacket] = []

            init(_ number: UInt8, _ identity: DTLSIdentity, at now: Instant) {
                address = TransportAddress(ipv4: 192, 0, 2, number, port: 40_000)
                core = PeerConnection(
                    configuration: .init(
                        identity: identity, mode: .full(controlling: true),
                        localCandidates: [.host(address)], canonicalName: "client",
                        dataChannel: nil, seed: UInt64(number)),
                    at: now)
            }

            func send(_ bytes: [UInt8], to address: TransportAddress, from: LocalAddress?) {
                toClient.append(bytes)
            }
        }

        private let identity: DTLSIdentity
        private let loop: MediaLoop
        private let room: RoomForwarder
        private var now = SimulatedRoom.beginning

        init() throws {
            identity = try DTLSIdentity.generate()
            loop = .alone(identity)
            let (_, sink) = AsyncStream.makeStream(of: MediaEvent.self)
            room = loop.room(sink)
        }

        private func way(_ number: UInt8) -> Way { Way(number, identity, at: now) }

        /// Offers all that the end sends and requests, and applies the answer.
        @discardableResult
        private func offer(
            _ way: Way, on key: ConnectionKey, from peer: PeerID
        ) throws -> SessionDescription {
            if room.peers[peer] == nil { try room.addPeer(peer, at: now) }
            let offer = try SessionDescription.parse(
                try way.core.createOffer(at: now).rendered())
            let answer = try room.offer(offer, on: key, from: peer, at: now)
            try way.core.accept(
                answer: try SessionDescription.parse(answer.rendered()), at: now)
            way.connection = room.peers[peer]?.connection(key)
            way.connection?.setRoute(Route(sink: way), to: way.address)
            return answer
        }

        private func want(_ tracks: [TrackID], _ publisher: PeerID = "ann") {
            room.setSubscriptions(
                .init(
                    peer: "viewer",
                    tracks: tracks.map {
                        .init(id: $0, publisher: publisher, isVideo: !$0.rawValue.hasPrefix("v"))
                    }), at: now)
        }

        private mutating func run(_ ways: [Way], for duration: Duration) {
            let end = now + duration
            while now < end {
                now += .milliseconds(5)
                for way in ways {
                    guard let connection = way.connection else { continue }
                    while let output = way.core.poll() {
                        switch output {
                        case .transmit(let bytes, _):
                            connection.core.handle(bytes, from: way.address, at: now)
                            loop.drain(connection, at: now)
                        case .media(let packet): way.seen.append(packet)
                        default: break
                        }
                    }
                    for bytes in way.toClient {
                        way.core.handle(bytes, from: SimulatedRoom.server, at: now)
                    }
                    way.toClient = []
                    way.core.handleTimeout(at: now)
                }
                loop.tick(at: now)
            }
        }

        private func tracks(of way: Way) -> [String] {
            way.core.incomingTracks.filter(\.isSending).map(\.trackID)
        }

        @Test mutating func subscribedTracksFillWhatTheClientAsksFor() throws {
            let publisher = way(10)
            let voice = try publisher.core.add(.audio("voice"))
            _ = try publisher.core.add(.video("camera"))
            try offer(publisher, on: .named("whip"), from: "ann")
            let viewer = way(20)
            try room.addPeer("viewer", at: now)
            want(["voice", "camera"])
            try viewer.core.receive(.audio)
            try viewer.core.receive(.video)
            let answer = try offer(viewer, on: .named("whep"), from: "viewer")
            #expect(answer.media.map(\.direction) == [.sendOnly, .sendOnly])
            #expect(tracks(of: viewer) == ["voice", "camera"])
            #expect(room.peers["viewer"]?.subscribe == nil)

            run([publisher, viewer], for: .seconds(1))
            #expect(viewer.core.state == .connected)
            for number in 0..<3 {
                let packet = RTPPacket(
                    payloadType: PayloadType(0),
                    sequenceNumber: SequenceNumber(UInt16(number)),
                    timestamp: UInt32(number * 960), ssrc: SSRC(0), payload: [1, 2, 3][...])
                publisher.core.send(packet, mid: voice, at: now)
            }
            run([publisher, viewer], for: .milliseconds(100))
            #expect(viewer.seen.count == 3 && viewer.seen.allSatisfy { $0.mid == "0" })
        }

        @Test mutating func aTrackThatGoesMakesRoomForTheNext() throws {
            let publisher = way(10)
            _ = try publisher.core.add(.video("one"))
            _ = try publisher.core.add(.video("two"))
            try offer(publisher, on: .publish, from: "ann")
            let viewer = way(20)
            try viewer.core.receive(.video)
            try room.addPeer("viewer", at: now)
            want(["one", "two"])
            try offer(viewer, on: .named("whep"), from: "viewer")
            #expect(room.peers["viewer"]?.offered.keys.map(\.rawValue) == ["one"])
            run([publisher, viewer], for: .seconds(1))
            want(["two"])
            #expect(room.peers["viewer"]?.offered.keys.map(\.rawValue) == ["two"])
            let two = room.tracks[TrackKey("two", of: "ann")]
            #expect(two?.subscriptions["viewer"] != nil)
            #expect(room.peers["viewer"]?.offered["two"]?.mid == "0")
            #expect(room.tracks[TrackKey("one", of: "ann")]?.subscriptions.isEmpty == true)
        }

        @Test mutating func whoeverComesFirstGetsTheTracksThatComeLater() throws {
            let viewer = way(20)
            try viewer.core.receive(.audio)
            try room.addPeer("viewer", at: now)
            want(["voice"])
            let answer = try offer(viewer, on: .named("whep"), from: "viewer")
            #expect(answer.media.map(\.direction) == [.sendOnly])
            let publisher = way(10)
            _ = try publisher.core.add(.audio("voice"))
            try offer(publisher, on: .named("whip"), from: "ann")
            let voice = room.tracks[TrackKey("voice", of: "ann")]
            #expect(voice?.subscriptions["viewer"] != nil)
            room.removePeer("ann", at: now)
            #expect(room.peers["viewer"]?.offered.isEmpty == true)
        }

        /// As for a client that receives each stream on a connection of its own.
        @Test mutating func routedTracksTakeNoOtherConnection() throws {
            let publisher = way(10)
            _ = try publisher.core.add(.video("one"))
            _ = try publisher.core.add(.video("two"))
            try offer(publisher, on: .publish, from: "ann")
            try room.addPeer("viewer", at: now)
            func route(_ routes: [TrackID: ConnectionKey]) {
                let tracks = routes.map { track, key in
                    WantedTrack(id: track, publisher: "ann", isVideo: true, connection: key)
                }
                room.setSubscriptions(.init(peer: "viewer", tracks: tracks), at: now)
            }
            func carried(_ name: String) -> [String] {
                room.peers["viewer"]?.offered.filter { $0.value.connection.key == .named(name) }
                    .map(\.key.rawValue) ?? []
            }
            route(["one": .named("a"), "two": .named("b")])
            let viewers = [("b", way(20)), ("a", way(30))]
            for (name, viewer) in viewers {
                try viewer.core.receive(.video)
                try viewer.core.receive(.video)
                try offer(viewer, on: .named(name), from: "viewer")
            }
            #expect(carried("a") == ["one"] && carried("b") == ["two"])
            run([publisher] + viewers.map(\.1), for: .seconds(1))
            #expect(viewers.allSatisfy { $0.1.core.state == .connected })
            // Each connection shares its own bandwidth.
            let peer = try #require(room.peers["viewer"])
            let sharings = peer.connections.compactMap(\.sharing)
            #expect(sharings.count == 2 && sharings[0] !== sharings[1])

            route(["one": .named("a"), "two": .named("a")])
            #expect(carried("a").sorted() == ["one", "two"] && carried("b").isEmpty)
            #expect(room.tracks[TrackKey("two", of: "ann")]?.subscriptions.count == 1)
            room.closeConnection(.named("a"), of: "viewer", at: now)
            #expect(carried("b").isEmpty)
        }

        @Test mutating func oneConnectionPublishesAndReceives() throws {
            let ann = way(10)
            _ = try ann.core.add(.audio("voice"))
            try offer(ann, on: .named("a"), from: "ann")
            let viewer = way(20)
            let mid = try viewer.core.add(.audio("mine"))
            try viewer.core.receive(.audio, in: mid)
            try room.addPeer("viewer", at: now)
            want(["voice"])
            let answer = try offer(viewer, on: .named("b"), from: "viewer")
            #expect(answer.media.map(\.direction) == [.sendReceive])
            #expect(tracks(of: viewer) == ["voice"])
            #expect(room.tracks[TrackKey("mine", of: "viewer")] != nil)

            room.closeConnection(.named("b"), of: "viewer", at: now)
            #expect(room.tracks[TrackKey("mine", of: "viewer")] == nil)
            #expect(room.tracks[TrackKey("voice", of: "ann")]?.subscriptions.isEmpty == true)
        }

        @Test mutating func aCodecThatTheClientDoesNotOfferIsNotSent() throws {
            let publisher = way(10)
            _ = try publisher.core.add(.video("camera"))
            try offer(publisher, on: .publish, from: "ann")
            let viewer = way(20)
            try viewer.core.receive(.video)
            try room.addPeer("viewer", at: now)
            want(["camera"])
            var offer = try viewer.core.createOffer(at: now)
            offer.media[0].rtp.codecs.removeAll { !$0.isNamed("H264") }
            _ = try room.offer(offer, on: .named("whep"), from: "viewer", at: now)
            #expect(room.peers["viewer"]?.offered.isEmpty == true)
        }

        @Test mutating func thereIsALimitToWhatAClientOpens() throws {
            try room.addPeer("viewer", at: now)
            let long = String(repeating: "x", count: ConnectionKey.nameBytesMaximum + 1)
            for (key, error) in [
                (.subscribe, .serverOffers), (.named(long), .connectionNameTooLong),
            ] as [(ConnectionKey, MediaServerError)] {
                let viewer = way(20)
                try viewer.core.receive(.audio)
                let offer = try viewer.core.createOffer(at: now)
                #expect(throws: error) {
                    try room.offer(offer, on: key, from: "viewer", at: now)
                }
            }
            for number in 0..<RoomForwarder.connectionsPerPeerMaximum {
                let viewer = way(20)
                try viewer.core.receive(.audio)
                try offer(viewer, on: .named("\(number)"), from: "viewer")
            }
            let viewer = way(20)
            try viewer.core.receive(.audio)
            let offer = try viewer.core.createOffer(at: now)
            let most = RoomForwarder.connectionsPerPeerMaximum
            #expect(throws: MediaServerError.tooManyConnections(maximum: most)) {
                try room.offer(offer, on: .named("more"), from: "viewer", at: now)
            }
        }
    }
}
