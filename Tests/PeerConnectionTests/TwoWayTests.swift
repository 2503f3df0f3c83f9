import MediaKernel
import RTP
import SDP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Sections that send, receive or both, regardless of the offerer.
    @Suite struct TwoWay {
        /// The client requests these kinds, the server sends these tracks.
        @discardableResult
        private func ask(
            _ wire: Wire, for kinds: [MediaSection.Kind], sending tracks: [OutgoingTrack],
            holds: Bool = false
        ) throws -> (offer: SessionDescription, answer: SessionDescription) {
            for kind in kinds { try wire.client.core.receive(kind) }
            let offer = try Wire.carried(wire.client.core.createOffer(at: wire.now))
            let server = wire.server.core
            try server.take(offer, at: wire.now)
            for track in tracks {
                let free = try #require(server.freeSections(for: track.kind).first)
                try server.send(track, on: free)
            }
            if holds { server.hold(kinds.flatMap { server.freeSections(for: $0) }) }
            let answer = try Wire.carried(server.makeAnswer(at: wire.now))
            try wire.client.core.accept(answer: answer, at: wire.now)
            try wire.runUntilConnected()
            return (offer, answer)
        }

        @Test func anAnswerSendsWhatTheOfferAsksFor() throws {
            let wire = Wire()
            let (offer, answer) = try ask(
                wire, for: [.audio, .video], sending: [.audio(), .video(codecs: ["VP9"])])
            #expect(offer.media.map(\.direction) == [.receiveOnly, .receiveOnly])
            #expect(answer.media.map(\.direction) == [.sendOnly, .sendOnly])
            #expect(answer.media.map { $0.rtp.msids.map(\.track) } == [["voice"], ["camera"]])
            #expect(answer.media[1].rtp.codecs.map(\.name) == ["VP9", "rtx"])
            let number = offer.media[1].rtp.codecs.first { $0.isNamed("VP9") }?.payloadType
            #expect(answer.media[1].rtp.codecs[0].payloadType == number)
            #expect(
                answer.media[1].rtp.sources.count == 2
                    && answer.media[1].rtp.sourceGroups.count == 1)
            #expect(wire.client.core.incomingTracks.map(\.trackID) == ["voice", "camera"])
            #expect(wire.client.core.incomingTracks.map(\.isSending) == [true, true])
            #expect(wire.server.core.incomingTracks.map(\.isSending) == [false, false])

            wire.send([1, 2], mid: "0", from: .server)
            wire.send([7], mid: "1", from: .server)
            wire.send([9], mid: "1", from: .client)
            wire.run(for: .milliseconds(200))
            #expect(wire.client.numbers(mid: "0") == [1, 2])
            #expect(wire.client.numbers(mid: "1") == [7])
            #expect(wire.client.media.last?.packet.payloadType.rawValue == number)
            #expect(wire.server.media.isEmpty)
        }

        @Test func whatIsLostIsSentAgainInASectionOfTheOtherSides() throws {
            let wire = Wire()
            try ask(wire, for: [.video], sending: [.video()])
            wire.send([1, 2, 3], mid: "0", from: .server)
            wire.run(for: .milliseconds(100))
            wire.client.core.requestRetransmission(of: [SequenceNumber(2)], mid: "0")
            wire.client.core.requestKeyframe(mid: "0")
            wire.run(for: .milliseconds(100))
            #expect(wire.client.media.filter(\.isRetransmission).count == 1)
            #expect(wire.server.keyframeRequests == ["0"])
        }

        @Test(arguments: Wire.Side.allCases)
        func oneSectionSendsBothWays(side: Wire.Side) throws {
            let wire = Wire()
            let (here, there) = (wire.end(side).core, wire.end(side.other).core)
            let mid = try here.add(.video("ours", codecs: ["VP9"]))
            try here.receive(.video, in: mid)
            let offer = try Wire.carried(here.createOffer(at: wire.now))
            #expect(offer.media.map(\.direction) == [.sendReceive])
            try there.take(offer, at: wire.now)
            try there.send(
                .video("theirs"), on: try #require(there.freeSections(for: .video).first))
            let answer = try Wire.carried(there.makeAnswer(at: wire.now))
            #expect(answer.media.map(\.direction) == [.sendReceive])
            try here.accept(answer: answer, at: wire.now)
            try wire.runUntilConnected()
            wire.send([1], mid: mid, from: side)
            wire.send([2], mid: mid, from: side.other)
            wire.run(for: .milliseconds(100))
            #expect(wire.end(side.other).numbers(mid: mid) == [1])
            #expect(wire.end(side).numbers(mid: mid) == [2])
            #expect(here.incomingTracks.map(\.trackID) == ["theirs"])
        }

        /// To whoever answers a mid is a name, not a number.
        @Test func aMidIsWhateverTheOffererWrites() throws {
            let strange = ["0": "{a}:0", "1": "%s-'1'"]
            let familiar = Dictionary(uniqueKeysWithValues: strange.map { ($1, $0) })
            let wire = Wire()
            _ = try wire.client.core.add(.audio())
            _ = try wire.client.core.add(.video())
            let offer = try wire.client.core.createOffer(at: wire.now).renamed(strange)
            let answer = try Wire.carried(wire.server.core.answer(offer, at: wire.now))
            #expect(answer.media.map(\.mid) == ["{a}:0", "%s-'1'"])
            #expect(answer.bundledMIDs == ["{a}:0", "%s-'1'"])
            try wire.client.core.accept(answer: answer.renamed(familiar), at: wire.now)
            try wire.runUntilConnected()
            wire.send([1, 2], mid: "0", from: .client)
            wire.send([7], mid: "1", from: .client)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: "{a}:0") == [1, 2])
            #expect(wire.server.numbers(mid: "%s-'1'") == [7])
        }

        @Test func aSectionThatIsOfferedWithoutATrackTakesOneAfterTheAnswer() throws {
            let wire = Wire()
            let server = wire.server.core
            for kind in [MediaSection.Kind.audio, .video] { try server.holdSection(kind) }
            let offer = try Wire.carried(server.createOffer(at: wire.now))
            #expect(offer.media.map(\.direction) == [.sendOnly, .sendOnly])
            #expect(offer.media[1].rtp.codecs.contains { $0.isNamed("AV1") })
            #expect(server.freeSections(for: .video).isEmpty, "the other side has not answered")
            let answer = try Wire.carried(wire.client.core.answer(offer, at: wire.now))
            #expect(answer.media.map(\.direction) == [.receiveOnly, .receiveOnly])
            try server.accept(answer: answer, at: wire.now)
            try wire.runUntilConnected()

            let section = try #require(server.freeSections(for: .video).first)
            // Of those on offer, it takes one.
            let codec = try #require(answer.media[1].rtp.codecs.first).name
            let mid = try server.send(.video(codecs: [codec]), on: section)
            #expect(server.isWanted(mid: mid) && server.freeSections(for: .video).isEmpty)
            wire.send([5, 6], mid: mid, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: mid) == [5, 6])
            #expect(server.incomingTracks.allSatisfy { !$0.isSending })

            // As when a client restarts ICE: its answer, with other credentials, is an offer.
            var restart = answer
            for index in restart.media.indices {
                restart.media[index].ice.usernameFragment = "Cd34"
                restart.media[index].ice.password = "0123456789abcdef01234567"
            }
            #expect(try server.answer(restart, at: wire.now).media[1].direction == .sendOnly)
            #expect(server.isWanted(mid: mid))
        }

        @Test func aHeldSectionTakesALaterTrackAtOnce() throws {
            let wire = Wire()
            let (_, answer) = try ask(wire, for: [.audio, .video], sending: [], holds: true)
            #expect(answer.media.map(\.direction) == [.sendOnly, .sendOnly])
            let server = wire.server.core
            let section = try #require(server.freeSections(for: .video).first)
            let mid = try server.send(.video(codecs: ["H265", "VP8"]), on: section)
            #expect(server.isWanted(mid: mid))
            #expect(server.freeSections(for: .video).isEmpty)
            wire.send([5, 6], mid: mid, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: mid) == [5, 6])

            server.remove(mid: mid)
            #expect(try server.send(.video("next"), on: section) == mid)
            wire.send([900], mid: mid, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: mid) == [5, 6, 900])
        }

        @Test func whatWasNotAgreedWaitsForTheNextDescription() throws {
            let wire = Wire()
            try ask(wire, for: [.audio, .video], sending: [.audio()])
            let server = wire.server.core
            let section = try #require(server.freeSections(for: .video).first)
            let mid = try server.send(.video(), on: section)
            #expect(!server.isWanted(mid: mid))
            let (offer, _) = try wire.negotiate(offering: .server)
            #expect(offer.media.map(\.direction) == [.sendOnly, .sendOnly])
            #expect(server.isWanted(mid: mid))
            wire.send([3], mid: mid, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: mid) == [3])
        }

        @Test func aCodecThatIsNotOfferedIsNotSent() throws {
            let wire = Wire()
            try wire.client.core.receive(.video)
            var offer = try Wire.carried(wire.client.core.createOffer(at: wire.now))
            offer.media[0].rtp.codecs.removeAll { !$0.isNamed("VP8") }
            let server = wire.server.core
            try server.take(offer, at: wire.now)
            let section = try #require(server.freeSections(for: .video).first)
            for (track, on) in [
                (OutgoingTrack.video(codecs: ["VP9"]), section), (.audio(), section),
                (.video(), SectionIndex(9)),
            ] {
                #expect(throws: PeerConnectionError.mismatchedTrack(section: on.rawValue)) {
                    try server.send(track, on: on)
                }
            }
            let answer = try server.makeAnswer(at: wire.now)
            #expect(answer.media.map(\.direction) == [.inactive])
            #expect(throws: PeerConnectionError.unexpectedAnswer) {
                try server.makeAnswer(at: wire.now)
            }
        }

        @Test func whoeverGivesWayTakesItsOfferBack() throws {
            let wire = Wire()
            let voice = try wire.server.core.add(.audio("first"))
            try wire.connect(offering: .server)
            let camera = try wire.server.core.add(.video("server"))
            _ = try wire.client.core.add(.video("client"))
            _ = try wire.server.core.createOffer(at: wire.now)
            let offer = try Wire.carried(wire.client.core.createOffer(at: wire.now))
            #expect(throws: PeerConnectionError.unexpectedOffer) {
                try wire.server.core.answer(offer, at: wire.now)
            }
            #expect(wire.server.core.rollBack() == [camera])
            let answer = try Wire.carried(wire.server.core.answer(offer, at: wire.now))
            try wire.client.core.accept(answer: answer, at: wire.now)
            let again = try wire.server.core.add(.video("server"))
            let (second, _) = try wire.negotiate(offering: .server)
            #expect(second.media.map(\.mid) == [voice, offer.media[1].mid, again])
            wire.send([1], mid: again, from: .server)
            wire.send([2], mid: try #require(offer.media[1].mid), from: .client)
            wire.send([3], mid: voice, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.client.numbers(mid: again) == [1])
            #expect(wire.client.numbers(mid: voice) == [3])
            #expect(wire.server.media.map(\.packet.sequenceNumber.rawValue) == [2])
        }

        @Test func numbersOfTheOtherSideAreNotTakenTwice() throws {
            let wire = Wire()
            let one = try wire.client.core.add(
                .video("one", codecs: ["VP9"], extensions: [HeaderExtensionURI.transportSequence]))
            try wire.connect(offering: .client)
            let two = try wire.server.core.add(.video("two", codecs: ["VP8", "VP9"]))
            #expect(one != two)
            let (offer, answer) = try wire.negotiate(offering: .server)
            let names = offer.media.flatMap(\.rtp.codecs).map { ($0.payloadType, $0.name) }
            #expect(Set(names.map(\.0)).count == Set(names.map { "\($0.0) \($0.1)" }).count)
            let ids = offer.media.flatMap(\.rtp.headerExtensions).map(\.id)
            #expect(Set(ids).count == ids.count)
            #expect(answer.media.map(\.direction) == [.sendOnly, .receiveOnly])
            wire.send([1], mid: one, from: .client)
            wire.send([2], mid: two, from: .server)
            wire.run(for: .milliseconds(100))
            #expect(wire.server.numbers(mid: one) == [1])
            #expect(wire.client.numbers(mid: two) == [2])
        }

        @Test(arguments: Wire.Side.allCases)
        func whoeverHasAnsweredMayRestartTheConnection(side: Wire.Side) throws {
            let wire = Wire()
            let mid = try wire.end(side).core.add(.audio())
            let before = try wire.connect(offering: side)
            let after = try wire.negotiate(offering: side.other, restartsICE: true)
            #expect(
                before.answer.media[0].ice.usernameFragment
                    != after.offer.media[0].ice.usernameFragment)
            wire.run(for: .seconds(40))
            #expect(wire.areConnected)
            wire.send([1], mid: mid, from: side)
            wire.run(for: .milliseconds(100))
            #expect(wire.end(side.other).numbers(mid: mid) == [1])
        }

        @Test(arguments: Wire.Side.allCases)
        func whoeverHasAnsweredMayOfferTheDataSection(side: Wire.Side) throws {
            let wire = Wire(channelOf: side.other)
            _ = try wire.end(side).core.add(.audio())
            try wire.connect(offering: side)
            let (offer, _) = try wire.negotiate(offering: side.other)
            #expect(offer.media.map(\.kind) == [.audio, .application])
            wire.run(for: .milliseconds(500))
            #expect(wire.client.channelEvents == ["open ion-sfu"])
            #expect(wire.server.channelEvents == ["open ion-sfu"])
        }
    }
}

extension SessionDescription {
    /// The same on the wire, with these mids instead.
    fileprivate func renamed(_ mids: [String: String]) throws -> SessionDescription {
        var description = self
        description.bundledMIDs = bundledMIDs.map { mids[$0] ?? $0 }
        for index in media.indices {
            description.media[index].mid = media[index].mid.map { mids[$0] ?? $0 }
        }
        return try Wire.carried(description)
    }
}
