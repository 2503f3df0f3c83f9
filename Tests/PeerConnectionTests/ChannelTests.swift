import DataChannel
import MediaKernel
import SDP
import SecureTransport
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    @Suite struct Channels {
        @Test(arguments: Wire.Side.allCases)
        func textPassesBothWays(side: Wire.Side) throws {
            let wire = Wire(channelOf: side)
            _ = try wire.end(side).core.add(.audio())
            try wire.connect(offering: side)
            wire.run(for: .milliseconds(500))
            #expect(wire.client.channelEvents == ["open ion-sfu"])
            #expect(wire.server.channelEvents == ["open ion-sfu"])
            let long = String(repeating: "grüße ", count: 5000)
            wire.client.core.send("hello", on: "ion-sfu", at: wire.now)
            wire.client.core.send(long, on: "ion-sfu", at: wire.now)
            wire.server.core.send("welcome", on: "ion-sfu", at: wire.now)
            wire.run(for: .seconds(1))
            #expect(
                wire.server.channelEvents.dropFirst() == ["ion-sfu: hello", "ion-sfu: " + long])
            #expect(wire.client.channelEvents.dropFirst() == ["ion-sfu: welcome"])
        }

        @Test func theChannelOpensAsTheClientsOfThatProtocolExpect() throws {
            let wire = Wire(channelOf: .client)
            _ = try wire.client.core.add(.audio())
            var packets: [[UInt8]] = []
            // Reads the server's incoming DTLS data, and passes it on in the clear.
            wire.drops = { side, bytes in
                let core = wire.server.core
                guard side == .client, (20...63).contains(bytes.first ?? 0),
                    let dtls = core.security.dtls, dtls.isConnected
                else { return false }
                dtls.handle(bytes, at: wire.now)
                while let output = dtls.poll() {
                    guard case .applicationData(let packet) = output else { continue }
                    packets.append(packet)
                    core.channels.transport?.handle(packet)
                }
                return true
            }
            try wire.connect(offering: .client)
            wire.run(for: .milliseconds(500))
            #expect(wire.server.channelEvents == ["open ion-sfu"])
            // DATA_CHANNEL_OPEN, reliable and ordered, label of 7 and protocol of 4 bytes.
            // RFC 8832 sect. 5.1.
            let lengths: [UInt8] = [0, 7, 0, 4]
            let names = lengths + Array("ion-sfuSCTP".utf8)
            let open = packets.first { packet in
                packet.indices.contains { packet[$0...].starts(with: names) }
            }
            let packet = try #require(open)
            let place = try #require(
                packet.indices.first { packet[$0...].starts(with: names) })
            #expect(Array(packet[(place - 8)..<(place - 6)]) == [3, 0])
            #expect(Array(packet[(place - 4)..<place]) == [0, 0, 0, 0])
        }

        @Test func lostPacketsOfTheChannelAreSentAgain() throws {
            let wire = Wire(channelOf: .server, seed: 5)
            _ = try wire.server.core.add(.audio())
            try wire.connect(offering: .server)
            wire.run(for: .milliseconds(500))
            wire.loss = 0.15
            for number in 0..<20 {
                wire.server.core.send("line \(number)", on: "ion-sfu", at: wire.now)
                wire.run(for: .milliseconds(20))
            }
            let lines = (0..<20).map { "ion-sfu: line \($0)" }
            // usrsctp measures its round trips by the machine's own clock: if that stood still in
            // between, it needs more time.
            for _ in 0..<60 where wire.client.channelEvents.count <= lines.count {
                wire.run(for: .seconds(1))
            }
            #expect(Array(wire.client.channelEvents.dropFirst()) == lines)
        }

        /// Keeps the client's DTLS data from now on.
        private func holdRecords(of wire: Wire) -> () -> [UInt8] {
            var records: [UInt8] = []
            wire.drops = { side, bytes in
                // Alerts and data, RFC 6347 sect. 4.1.
                guard side == .client, [21, 23].contains(bytes.first) else { return false }
                records += bytes
                return true
            }
            return {
                defer { records = [] }
                return records
            }
        }

        /// RFC 6347 sect. 4.1.1: a datagram may contain several records.
        @Test func allThatIsInOneDatagramIsRead() throws {
            let wire = Wire(channelOf: .client)
            _ = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.run(for: .milliseconds(500))
            let held = holdRecords(of: wire)
            func deliver() {
                wire.run(for: Wire.step)
                wire.server.core.handle(held(), from: Wire.Side.client.address, at: wire.now)
                wire.run(for: Wire.step)
            }
            for text in ["one", "two"] {
                wire.client.core.send(text, on: "ion-sfu", at: wire.now)
                wire.run(for: Wire.step)
            }
            deliver()
            #expect(
                wire.server.channelEvents == ["open ion-sfu", "ion-sfu: one", "ion-sfu: two"])
            wire.client.core.send("bye", on: "ion-sfu", at: wire.now)
            wire.client.core.close(at: wire.now)
            deliver()
            #expect(wire.server.channelEvents.contains("ion-sfu: bye"))
            #expect(wire.server.core.state == .closed)
        }

        @Test func aDataSectionOfALaterOfferGetsItsAssociation() throws {
            let wire = Wire(channelOf: .client)
            _ = try wire.client.core.add(.audio())
            let full = try wire.client.core.createOffer(at: wire.now)
            var reduced = full
            reduced.media[0] = .rejection(of: full.media[0])
            reduced.bundledMIDs = ["1"]
            let answer = try wire.server.core.answer(reduced, at: wire.now)
            #expect(answer.media[0].isRejected)
            try wire.client.core.accept(answer: answer, at: wire.now)
            try wire.runUntilConnected()
            #expect(wire.server.core.channels.transport == nil)
            #expect(try !wire.server.core.answer(full, at: wire.now).media[0].isRejected)
            #expect(wire.server.core.channels.transport != nil)
        }

        @Test func withoutADataSectionThereIsNoChannel() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            let (offer, _) = try wire.connect(offering: .client)
            #expect(offer.media.allSatisfy { $0.kind != .application })
            wire.client.core.send("nobody hears", on: "ion-sfu", at: wire.now)
            wire.run(for: .milliseconds(500))
            #expect(wire.server.channelEvents.isEmpty && wire.server.core.channels.transport == nil)
        }

        @Test func mediaGoesOnWhenTheDataSectionIsRefused() throws {
            let wire = Wire(channelOf: .client)
            let mid = try wire.client.core.add(.audio())
            try wire.negotiate(offering: .client) {
                $0.media[1].ice.candidates = $0.media[0].ice.candidates
                $0.media[0] = .rejection(of: $0.media[0])
                $0.bundledMIDs = [mid]
            }
            try wire.runUntilConnected()
            wire.send([1], mid: mid, from: .client)
            wire.run(for: .milliseconds(500))
            #expect(wire.server.numbers(mid: mid) == [1])
            #expect(wire.client.channelEvents.isEmpty)
        }
    }
}
