import MediaKernel
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    @Suite struct BadDescriptions {
        /// A way to damage a description, by name, and whether the error is the right one.
        struct Damage: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let spoil: @Sendable (inout SessionDescription) -> Void
            let isRight: @Sendable (PeerConnectionError) -> Bool

            init(
                _ name: String, _ spoil: @escaping @Sendable (inout SessionDescription) -> Void,
                _ isRight: @escaping @Sendable (PeerConnectionError) -> Bool
            ) {
                testDescription = name
                self.spoil = spoil
                self.isRight = isRight
            }
        }

        static func isMissing(_ error: PeerConnectionError) -> Bool {
            if case .missing = error { true } else { false }
        }

        static func isMismatched(_ error: PeerConnectionError) -> Bool {
            if case .mismatchedAnswer = error { true } else { false }
        }

        static func isMalformed(_ error: PeerConnectionError) -> Bool {
            if case .malformedDescription = error { true } else { false }
        }

        static func isTransport(_ error: PeerConnectionError) -> Bool {
            if case .transport = error { true } else { false }
        }

        static let anywhere = [
            Damage(
                "no ICE credentials",
                { for i in $0.media.indices { $0.media[i].ice.usernameFragment = nil } },
                isMissing),
            Damage(
                "no password", { for i in $0.media.indices { $0.media[i].ice.password = nil } },
                isMissing),
            Damage(
                "no fingerprint",
                { for i in $0.media.indices { $0.media[i].dtls.fingerprints = [] } },
                isMissing),
            Damage(
                "a fingerprint nobody knows",
                {
                    for i in $0.media.indices {
                        $0.media[i].dtls.fingerprints = [
                            Fingerprint(algorithm: "md5", value: "AA:BB")
                        ]
                    }
                }, isTransport),
            Damage(
                "every section refused",
                { for i in $0.media.indices { $0.media[i] = .rejection(of: $0.media[i]) } },
                isMissing),
        ]

        static let answers =
            anywhere + [
                Damage("no section", { $0.media = [] }, isMismatched),
                Damage("a section too few", { $0.media.removeLast() }, isMismatched),
                Damage("a section too many", { $0.media.append($0.media[0]) }, isMismatched),
                Damage("sections in another order", { $0.media.swapAt(0, 1) }, isMismatched),
                Damage("another mid", { $0.media[1].mid = "9" }, isMismatched),
                Damage("no mid", { $0.media[1].mid = nil }, isMismatched),
                Damage("another kind", { $0.media[1].kind = .audio }, isMismatched),
                Damage(
                    "no choice of roles",
                    { for i in $0.media.indices { $0.media[i].dtls.setup = .actpass } }, isMalformed
                ),
                Damage(
                    "no roles", { for i in $0.media.indices { $0.media[i].dtls.setup = nil } },
                    isMalformed),
                Damage(
                    "a connection on hold",
                    { for i in $0.media.indices { $0.media[i].dtls.setup = .holdconn } },
                    isMalformed),
            ]

        static let offers =
            anywhere + [
                Damage("no section", { $0.media = [] }, isMissing),
                Damage("a section without mid", { $0.media[1].mid = nil }, isMissing),
                Damage(
                    "far too many sections",
                    { $0.media += Array(repeating: $0.media[0], count: 399) },
                    { $0 == .tooMany(what: "media sections", maximum: 400) }),
            ]

        @Test(arguments: answers)
        func aBadAnswerIsAnErrorAndTheGoodOneIsStillTaken(damage: Damage) throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            let video = try wire.client.core.add(.video())
            let offer = try wire.client.core.createOffer(at: wire.now)
            let good = try wire.server.core.answer(offer, at: wire.now)
            var bad = good
            damage.spoil(&bad)
            let error = #expect(throws: PeerConnectionError.self) {
                try wire.client.core.accept(answer: bad, at: wire.now)
            }
            #expect(damage.isRight(try #require(error)), "\(String(describing: error))")
            #expect(wire.client.core.isOfferOutstanding)
            #expect(!wire.client.core.isWanted(mid: video))

            try wire.client.core.accept(answer: good, at: wire.now)
            try wire.runUntilConnected()
            wire.send([1], mid: video, from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: video) == [1])
        }

        @Test(arguments: offers)
        func aBadOfferIsAnErrorAndTheGoodOneIsStillAnswered(damage: Damage) throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            let video = try wire.client.core.add(.video())
            let good = try wire.client.core.createOffer(at: wire.now)
            var bad = good
            damage.spoil(&bad)
            let error = #expect(throws: PeerConnectionError.self) {
                try wire.server.core.answer(bad, at: wire.now)
            }
            #expect(damage.isRight(try #require(error)), "\(String(describing: error))")
            #expect(wire.server.core.incomingTracks.isEmpty)

            let answer = try wire.server.core.answer(good, at: wire.now)
            #expect(answer.origin.sessionVersion == 1)
            try wire.client.core.accept(answer: answer, at: wire.now)
            try wire.runUntilConnected()
            wire.send([1], mid: video, from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: video) == [1])
        }

        @Test func anOfferMustRepeatEarlierSections() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            _ = try wire.client.core.add(.video())
            try wire.connect(offering: .client)
            var offer = try wire.client.core.createOffer(at: wire.now)
            offer.media.removeLast()
            let error = #expect(throws: PeerConnectionError.self) {
                try wire.server.core.answer(offer, at: wire.now)
            }
            #expect(Self.isMalformed(try #require(error)))
            #expect(wire.server.core.incomingTracks.count == 2)
        }

        @Test func anAnswerWithoutAnOfferIsAnError() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            let (_, answer) = try wire.negotiate(offering: .client)
            #expect(throws: PeerConnectionError.unexpectedAnswer) {
                try wire.client.core.accept(answer: answer, at: wire.now)
            }
            #expect(throws: PeerConnectionError.unexpectedAnswer) {
                try wire.server.core.accept(answer: answer, at: wire.now)
            }
        }

        @Test func offersThatCrossAreAnError() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            let mid = try wire.server.core.add(.audio())
            let ours = try wire.client.core.createOffer(at: wire.now)
            let theirs = try wire.server.core.createOffer(at: wire.now)
            #expect(throws: PeerConnectionError.unexpectedOffer) {
                try wire.client.core.answer(theirs, at: wire.now)
            }
            #expect(throws: PeerConnectionError.unexpectedOffer) {
                try wire.server.core.answer(ours, at: wire.now)
            }
            #expect(!wire.server.core.isWanted(mid: mid))
        }

        @Test func moreFormatsThanThereAreNumbersIsAnErrorThatChangesNothing() throws {
            let wire = Wire()
            let voice = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            let fragment = wire.client.core.localUsernameFragment
            var tooMuch = OutgoingTrack.video()
            tooMuch.codecs = []
            #expect(throws: PeerConnectionError.tooMany(what: "codecs", maximum: 61)) {
                try wire.client.core.add(tooMuch)
            }
            #expect(wire.client.core.localUsernameFragment == fragment)
            try wire.negotiate(offering: .client)
            wire.send([1], mid: voice, from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: voice) == [1])
        }

        @Test func sectionsHaveALimit() throws {
            let wire = Wire()
            for number in 0..<PeerConnection.sectionsMaximum {
                _ = try wire.server.core.add(.audio("track-\(number)"))
            }
            #expect(throws: PeerConnectionError.tooMany(what: "media sections", maximum: 400)) {
                try wire.server.core.add(.audio())
            }
            let (offer, answer) = try wire.negotiate(offering: .server)
            #expect(offer.media.count == 400 && answer.media.count == 400)
        }

        @Test func picturesLeaveRoomForSound() throws {
            let wire = Wire()
            for number in 0..<200 { _ = try wire.server.core.add(.video("track-\(number)")) }
            #expect(throws: PeerConnectionError.tooMany(what: "video sections", maximum: 200)) {
                try wire.server.core.add(.video())
            }
            for number in 0..<200 { _ = try wire.server.core.add(.audio("track-\(number)")) }
        }

        @Test func candidatesThatCannotBeUsedArePassedOver() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            for text in [
                "", "a=", "candidate", "candidate:1 1 udp 1 host.local 9 typ host",
                "candidate:1 1 tcp 1 192.0.2.9 9 typ host tcptype active",
                "candidate:1 2 udp 1 192.0.2.9 9 typ host", "candidate:1 1 udp 1 192.0.2.9 99999",
            ] {
                wire.client.core.addRemoteCandidate(text, at: wire.now)
                wire.server.core.addRemoteCandidate(text, at: wire.now)
            }
            try wire.connect(offering: .client)
        }

        @Test func aTrickledCandidateConnects() throws {
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            let offer = try wire.client.core.createOffer(at: wire.now)
            var answer = try wire.server.core.answer(offer, at: wire.now)
            let candidate = try #require(answer.media[0].ice.candidates.first)
            for index in answer.media.indices { answer.media[index].ice.candidates = [] }
            try wire.client.core.accept(answer: answer, at: wire.now)
            wire.run(for: .seconds(1))
            #expect(wire.client.core.state != .connected)
            wire.client.core.addRemoteCandidate("a=" + candidate, at: wire.now)
            try wire.runUntilConnected()
        }
    }
}
