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
    /// Checks with forged sources, from a peer of the room.
    @Suite struct AddressTheft {
        private final class Port: SocketSink {
            var sent: [(bytes: [UInt8], to: TransportAddress)] = []

            func send(
                _ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?
            ) {
                sent.append((bytes, address))
            }
            var arrivedAt: LocalAddress? { nil }
            func flush() {}
            func close() {}
            func steer(to place: Int?) -> String? { nil }
        }

        private final class Client {
            let core: PeerConnection
            let address: TransportAddress
            var mid = ""
            /// Its sent datagrams, to be replayed under another name.
            var sent: [[UInt8]] = []

            init(_ number: UInt8, at now: Instant) throws {
                address = TransportAddress(ipv4: 192, 0, 2, number, port: 40_000)
                core = PeerConnection(
                    configuration: .init(
                        identity: try DTLSIdentity.generate(), mode: .full(controlling: true),
                        localCandidates: [.host(address)], canonicalName: "client",
                        dataChannel: nil, seed: UInt64(number)),
                    at: now)
            }
        }

        /// Two audio publishers in one room, behind one port.
        private final class World {
            private(set) var now = SimulatedRoom.beginning
            let port = Port()
            let loop: MediaLoop
            let room: RoomForwarder
            let victim: Client
            let thief: Client
            private var number = 0
            private(set) var bytesTo: [TransportAddress: Int] = [:]

            init() throws {
                loop = .alone(try DTLSIdentity.generate())
                loop.ports.sockets = [port]
                let (_, sink) = AsyncStream.makeStream(of: MediaEvent.self)
                room = loop.room(sink)
                victim = try Client(10, at: now)
                thief = try Client(20, at: now)
                for (name, client) in [("victim", victim), ("thief", thief)] {
                    let peer = PeerID(name)
                    try room.addPeer(peer, at: now)
                    client.mid = try client.core.add(.audio(name))
                    let offer = try client.core.createOffer(at: now)
                    let answer = try room.publishOffer(offer, from: peer, at: now)
                    try client.core.accept(answer: answer, at: now)
                }
                run(for: .seconds(2))
                try #require(victim.core.state == .connected && thief.core.state == .connected)
            }

            /// - Parameter each: called every 20 ms.
            func run(for duration: Duration, each: (World) -> Void = { _ in }) {
                let end = now + duration
                while now < end {
                    now += .milliseconds(20)
                    number += 1
                    for client in [victim, thief] {
                        client.core.handleTimeout(at: now)
                        client.core.send(
                            RTPPacket(
                                payloadType: PayloadType(0),
                                sequenceNumber: SequenceNumber(extended: Int64(number)),
                                timestamp: UInt32(number * 960), ssrc: SSRC(0),
                                payload: [0xF8, 0xFF, 0xFE][...]),
                            mid: client.mid, at: now)
                    }
                    each(self)
                    deliver()
                    loop.tick(at: now)
                    deliver()
                }
            }

            private func deliver() {
                for client in [victim, thief] {
                    while let output = client.core.poll() {
                        guard case .transmit(let bytes, _) = output else { continue }
                        client.sent.append(bytes)
                        loop.received(bytes, from: client.address, port: 0, at: now)
                    }
                }
                for (bytes, address) in port.sent {
                    bytesTo[address, default: 0] += bytes.count
                    for client in [victim, thief] where client.address == address {
                        client.core.handle(bytes, from: SimulatedRoom.server, at: now)
                    }
                }
                port.sent = []
            }

            /// Repeats the thief's nomination from another address; returns its bytes.
            func spoofCheck(from address: TransportAddress) throws -> Int {
                let check = try #require(
                    thief.sent.last {
                        (try? STUNMessage(parsing: $0))?.usesCandidate == true
                    })
                loop.received(check, from: address, port: 0, at: now)
                return check.count
            }

            func isHeard(_ client: String) -> Bool {
                let track = room.tracks[TrackKey(TrackID(client), of: PeerID(client))]
                return track?.lastPacket.map { now - $0 <= .milliseconds(40) } ?? false
            }
        }

        @Test func anAddressStaysWithWhoeverProvedIt() throws {
            let world = try World()
            var unheard = 0
            world.run(for: .seconds(10)) { world in
                if (try? world.spoofCheck(from: world.victim.address)) == nil {
                    Issue.record("no check to send again")
                }
                if !world.isHeard("victim") || !world.isHeard("thief") { unheard += 1 }
            }
            #expect(unheard == 0)
            #expect(world.loop.figures.refusedAddresses > 400)
        }

        @Test func aStrangerGetsNextToNothing() throws {
            let world = try World()
            let stranger = TransportAddress(ipv4: 203, 0, 113, 9, port: 53)
            var claimed = 0
            for _ in 0..<5 { claimed += try world.spoofCheck(from: stranger) }
            world.run(for: .seconds(20))
            #expect((world.bytesTo[stranger] ?? 0) <= 3 * claimed)
            #expect(world.isHeard("thief"))
            #expect(world.room.peers["thief"]?.publish?.core.selectedAddress == world.thief.address)
        }

        /// An address that was forged still works for its real owner.
        @Test func whoComesToAClaimedAddressGetsIt() throws {
            let world = try World()
            let victim = world.victim.address
            world.room.removePeer("victim", at: world.now)
            _ = try world.spoofCheck(from: victim)
            let client = try Client(10, at: world.now)
            try world.room.addPeer("newcomer", at: world.now)
            client.mid = try client.core.add(.audio("newcomer"))
            let offer = try client.core.createOffer(at: world.now)
            let answer = try world.room.publishOffer(offer, from: "newcomer", at: world.now)
            try client.core.accept(answer: answer, at: world.now)
            var answers: [[UInt8]] = []
            for _ in 0..<200 where client.core.state != .connected {
                world.run(for: .milliseconds(20)) { world in
                    _ = try? world.spoofCheck(from: victim)
                    client.core.handleTimeout(at: world.now)
                    while let output = client.core.poll() {
                        guard case .transmit(let bytes, _) = output else { continue }
                        world.loop.received(bytes, from: victim, port: 0, at: world.now)
                    }
                    answers = world.port.sent.filter { $0.to == victim }.map(\.bytes)
                    for bytes in answers {
                        client.core.handle(bytes, from: SimulatedRoom.server, at: world.now)
                    }
                }
            }
            #expect(client.core.state == .connected)
        }
    }
}
