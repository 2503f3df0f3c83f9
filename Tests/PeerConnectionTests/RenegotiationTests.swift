import MediaKernel
import RTP
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    @Suite struct Renegotiation {
        @Test(arguments: Wire.Side.allCases)
        func aTrackIsAddedWithoutANewHandshake(side: Wire.Side) throws {
            let wire = Wire()
            let first = try wire.end(side).core.add(.video("one"))
            try wire.connect(offering: side)
            let hellos = wire.clientHellosSent
            let second = try wire.end(side).core.add(.video("two"))
            wire.send([1], mid: second, from: side)
            let (offer, answer) = try wire.negotiate(offering: side)
            wire.send([2], mid: first, from: side)
            wire.send([3], mid: second, from: side)
            wire.run(for: .milliseconds(200))

            let other = wire.end(side.other)
            #expect(other.numbers(mid: first) == [2])
            #expect(other.numbers(mid: second) == [3])
            #expect(other.core.incomingTracks.map(\.trackID) == ["one", "two"])
            #expect(wire.clientHellosSent == hellos)
            #expect(other.states == [.connecting, .connected])
            // The same format keeps its number over all sections. RFC 9143 sect. 9.1.
            let types = offer.media.map { $0.rtp.codecs.map(\.payloadType) }
            #expect(types[0] == types[1])
            // A later offer leaves the roles open, but the answerer keeps its own. RFC 8842.
            #expect(offer.media[0].dtls.setup == .actpass)
            #expect(answer.media[0].dtls.setup == (side == .client ? .passive : .active))
            #expect(offer.origin.sessionVersion == 2)
        }

        /// As from a client that tries to exhaust memory.
        @Test func sectionsThatChangePlacesLeaveNoStreams() throws {
            let wire = Wire()
            for name in ["one", "two"] { _ = try wire.client.core.add(.video(name)) }
            try wire.connect(offering: .client)
            let (client, server) = (wire.client.core, wire.server.core)
            for round in 1...20 {
                var offer = try Wire.carried(client.createOffer(at: wire.now))
                if !round.isMultiple(of: 2) { offer.media.swapAt(0, 1) }
                for index in offer.media.indices {
                    offer.media[index].rtp.sourceGroups = []
                    offer.media[index].rtp.sources = [
                        MediaSource(ssrc: UInt32(1000 + round * 2 + index))
                    ]
                }
                _ = try server.answer(offer, at: wire.now)
                client.withdrawOffer()
            }
            #expect(server.receiving.inbound.count == 2)
        }

        @Test func whatIsNotSentHasNoStreams() throws {
            let wire = Wire()
            for number in 0..<40 { _ = try wire.client.core.add(.video("\(number)")) }
            var offer = try Wire.carried(wire.client.core.createOffer(at: wire.now))
            for index in offer.media.indices {
                let ssrcs = (1...8).map { UInt32(index * 8 + $0) }
                offer.media[index].direction = .receiveOnly
                offer.media[index].rtp.sources = ssrcs.map { MediaSource(ssrc: $0) }
                offer.media[index].rtp.sourceGroups = [SourceGroup(semantics: "SIM", ssrcs: ssrcs)]
            }
            _ = try wire.server.core.answer(offer, at: wire.now)
            #expect(wire.server.core.receiving.inbound.isEmpty)
        }

        @Test func anAnswerTakesUpNoExtensionsThatWereNotOffered() throws {
            let wire = Wire()
            _ = try wire.server.core.add(.video())
            try wire.negotiate(offering: .server)
            let agreed = wire.server.core.headerExtensions
            #expect(!agreed.isEmpty)
            for round in 0..<3 {
                try wire.negotiate(offering: .server) { answer in
                    for index in answer.media.indices {
                        answer.media[index].rtp.headerExtensions += [
                            HeaderExtension(id: 200, uri: "urn:x:\(round)"),
                            HeaderExtension(id: 14, uri: HeaderExtensionURI.mid),
                        ]
                    }
                }
            }
            #expect(wire.server.core.headerExtensions == agreed)
        }

        @Test(arguments: Wire.Side.allCases)
        func aRemovedTracksSectionServesTheNext(side: Wire.Side) throws {
            let wire = Wire()
            let voice = try wire.end(side).core.add(.audio())
            let camera = try wire.end(side).core.add(.video("camera"))
            let (before, _) = try wire.connect(offering: side)
            let other = wire.end(side.other)

            wire.end(side).core.remove(mid: camera)
            wire.send([1], mid: camera, from: side)
            let (without, _) = try wire.negotiate(offering: side)
            #expect(without.media[1].direction == .inactive)
            #expect(without.media[1].rtp.msids.isEmpty && without.media[1].rtp.sources.isEmpty)
            #expect(!without.media[1].isRejected)
            #expect(other.core.incomingTracks.map(\.isSending) == [true, false])

            let screen = try wire.end(side).core.add(.video("screen"))
            #expect(screen == camera)
            let (after, _) = try wire.negotiate(offering: side)
            #expect(after.media.count == 2)
            #expect(after.media[1].rtp.sources[0].ssrc != before.media[1].rtp.sources[0].ssrc)
            #expect(other.core.incomingTracks.map(\.trackID) == ["voice", "screen"])
            wire.send([5, 6], mid: screen, from: side)
            wire.send([7], mid: voice, from: side)
            wire.run(for: .milliseconds(100))
            #expect(other.numbers(mid: screen) == [5, 6])
            #expect(other.numbers(mid: voice) == [7])
        }

        @Test func aSectionOfOneKindDoesNotServeAnother() throws {
            let wire = Wire()
            let camera = try wire.server.core.add(.video())
            try wire.connect(offering: .server)
            wire.server.core.remove(mid: camera)
            #expect(try wire.server.core.add(.audio()) != camera)
        }

        @Test func aRefusedSectionComesBackUnderANewMid() throws {
            let wire = Wire()
            let voice = try wire.server.core.add(.audio())
            let camera = try wire.server.core.add(.video("camera"))
            try wire.negotiate(offering: .server) {
                $0.media[1] = .rejection(of: $0.media[1])
                $0.bundledMIDs = [voice]
            }
            try wire.runUntilConnected()
            #expect(!wire.server.core.isWanted(mid: camera))
            let offerWithout = try wire.server.core.createOffer(at: wire.now)
            #expect(offerWithout.media[1].isRejected)
            #expect(offerWithout.bundledMIDs == [voice])
            let answer = try wire.client.core.answer(offerWithout, at: wire.now)
            try wire.server.core.accept(answer: answer, at: wire.now)

            let again = try wire.server.core.add(.video("camera"))
            #expect(again != camera && again != voice)
            let (offer, _) = try wire.negotiate(offering: .server)
            #expect(offer.media.map(\.mid) == [voice, again])
            wire.send([1, 2], mid: again, from: .server)
            wire.send([3], mid: camera, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.media.map(\.mid) == [again, again])
        }

        @Test func whatIsNotInTheBundleOrUnknownIsRefused() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            _ = try wire.client.core.add(.video("no codec of ours", codecs: ["H265"]))
            _ = try wire.client.core.add(.video("left out"))
            let mux = try wire.client.core.add(.video("no rtcp-mux"))
            var offer = try wire.client.core.createOffer(at: wire.now)
            offer.bundledMIDs = ["0", "1", "3"]
            offer.media[3].rtp.hasRTCPMux = false
            let answer = try wire.server.core.answer(offer, at: wire.now)
            #expect(answer.media.map(\.isRejected) == [false, true, true, true])
            #expect(answer.bundledMIDs == ["0"])
            try wire.client.core.accept(answer: answer, at: wire.now)
            #expect(!wire.client.core.isWanted(mid: mux))
            try wire.runUntilConnected()
        }

        @Test(arguments: Wire.Side.allCases)
        func anICERestartKeepsTheHandshakeAndTheMedia(side: Wire.Side) throws {
            let wire = Wire()
            let mid = try wire.end(side).core.add(.audio())
            let before = try wire.connect(offering: side)
            let hellos = wire.clientHellosSent
            var next = 0
            func speak(for duration: Duration) {
                let packets = Int(duration / .milliseconds(20))
                for _ in 0..<packets {
                    wire.send([next], mid: mid, from: side)
                    next += 1
                    wire.run(for: .milliseconds(20))
                }
            }
            speak(for: .milliseconds(100))
            let after = try wire.negotiate(offering: side, restartsICE: true)
            for (old, new) in [(before.offer, after.offer), (before.answer, after.answer)] {
                let names = [old, new].map { $0.media[0].ice.usernameFragment }
                #expect(names[0] != names[1])
                #expect(old.media[0].ice.password != new.media[0].ice.password)
                #expect(old.media[0].dtls.fingerprints == new.media[0].dtls.fingerprints)
            }
            speak(for: .seconds(40))
            wire.run(for: .milliseconds(100))
            #expect(wire.areConnected)
            #expect(wire.end(side.other).numbers(mid: mid) == (0..<next).map { UInt16($0) })
            #expect(wire.clientHellosSent == hellos)
            #expect(!wire.client.states.contains(.disconnected))
            let current = wire.client.core.localUsernameFragment
            let described = side == .client ? after.offer : after.answer
            #expect(current == described.media[0].ice.usernameFragment)
        }

        @Test func anICERestartBringsBackAConnectionThatWasGivenUp() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.drops = { _, _ in true }
            wire.run(for: .seconds(60))
            #expect(wire.client.core.state == .failed)
            wire.drops = { _, _ in false }
            wire.run(for: .seconds(5))
            #expect(wire.client.core.state == .failed)
            try wire.negotiate(offering: .client, restartsICE: true)
            try wire.runUntilConnected()
            wire.send([1], mid: mid, from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: mid) == [1])
        }

        @Test func anotherCertificateIsRefusedAndDoesNoHarm() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            let before = wire.server.core.incomingTracks
            _ = try wire.client.core.add(.video())
            let good = try wire.client.core.createOffer(restartsICE: true, at: wire.now)
            var bad = good
            let digest = Array(repeating: "AA", count: 32).joined(separator: ":")
            let strange = Fingerprint(algorithm: "sha-256", value: digest)
            for index in bad.media.indices { bad.media[index].dtls.fingerprints = [strange] }
            #expect(throws: PeerConnectionError.changedFingerprint) {
                try wire.server.core.answer(bad, at: wire.now)
            }
            #expect(wire.server.core.incomingTracks == before)
            wire.send([1], mid: mid, from: .client)
            wire.run(for: .seconds(1))
            #expect(wire.server.numbers(mid: mid) == [1])

            var answer = try wire.server.core.answer(good, at: wire.now)
            let right = answer
            for index in answer.media.indices { answer.media[index].dtls.fingerprints = [strange] }
            #expect(throws: PeerConnectionError.changedFingerprint) {
                try wire.client.core.accept(answer: answer, at: wire.now)
            }
            #expect(wire.client.core.isOfferOutstanding)
            try wire.client.core.accept(answer: right, at: wire.now)
            wire.send([2], mid: mid, from: .client)
            wire.run(for: .seconds(1))
            #expect(wire.server.numbers(mid: mid) == [1, 2])
            #expect(wire.areConnected)
        }
    }
}
