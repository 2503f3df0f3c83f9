import HundredMSTerms
import MediaKernel
import MediaServer
import PeerConnection
import RoomHost
import Rooms
import SDP
import Testing
import WHIP

/// A WHIP client from its `POST` to its end.
@Suite(.timeLimit(.minutes(5))) struct WHIPSessionTests {
    let world = WHIPWorld()

    @Test func aPublisherIsAPeerOfTheRoomWithItsTracks() async throws {
        let answer = try await world.room.publish(
            WHIPWorld.offer(), by: WHIPWorld.client(name: "Camera 1"))
        let peer = try #require(await world.peers.first)
        #expect(peer.id == answer.peer && peer.name == "Camera 1" && peer.role == "host")
        #expect(peer.tracks.map(\.kind) == [.audio, .video])
        #expect(peer.tracks.map(\.publishedID) == ["obs-0", "obs-1"])
        #expect(answer.entityTag == "\"gen1\"")
        #expect(
            try SessionDescription.parse(answer.body).media.map(\.direction)
                == [.receiveOnly, .receiveOnly])
        #expect(answer.session != peer.id.rawValue, "everybody knows the peer's id")
    }

    /// FFmpeg and GStreamer give tracks the same name, or none.
    @Test func everyTrackHasANameOfItsOwnThatTheMediaPlaneHearsToo() async throws {
        var offer = try SessionDescription.parse(WHIPWorld.offer([.audio, .video, .video]))
        offer.media[0].rtp.msids = []
        offer.media[1].rtp.msids = [MediaStreamIdentifier(stream: "-", track: "video")]
        offer.media[2].rtp.msids = [MediaStreamIdentifier(stream: "-", track: "video")]
        let answer = try await world.room.publish(offer.rendered(), by: WHIPWorld.client())
        let tracks = try #require(await world.peers.first).tracks
        let names = tracks.map(\.publishedID.rawValue)
        #expect(names == ["\(answer.peer)-0", "video", "\(answer.peer)-2"])
        #expect(world.media.offers.first?.media.map { $0.rtp.msids.first?.track } == names)
        #expect(tracks.allSatisfy { $0.streamID == answer.peer.rawValue })
    }

    @Test func aRoomForSoundRefusesPicturesInWords() async throws {
        let world = WHIPWorld(policy: Policy.standard.soundOnly)
        let refusal = WHIPError.forbidden("this room is for sound only: nobody may publish video")
        await #expect(throws: refusal) {
            try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        }
        _ = try await world.room.publish(WHIPWorld.offer([.audio]), by: WHIPWorld.client())
        #expect(await world.peers.first?.tracks.map(\.kind) == [.audio])
    }

    @Test func whatTheRoleDoesNotAllowIsRefusedAsAWhole() async throws {
        await #expect(throws: WHIPError.forbidden("role 'viewer' may not publish audio")) {
            try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client(role: "viewer"))
        }
        await #expect(throws: WHIPError.room(.unknownRole("nobody"))) {
            try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client(role: "nobody"))
        }
        #expect(await world.peers.isEmpty)
        #expect(world.media.offers.isEmpty)
    }

    @Test(arguments: ["", "v=0", "nonsense"])
    func whatIsNoOfferIsRefused(sdp: String) async throws {
        let error = await #expect(throws: WHIPError.self) {
            try await world.room.publish(sdp, by: WHIPWorld.client())
        }
        guard case .badDescription = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// OBS offers HEVC if it is told to, and would send it to nobody.
    @Test func anOfferWithOneUselessSectionIsRefusedAsAWhole() async throws {
        let supported = "video is supported in VP8, VP9, H264, AV1; the offer has"
        for (line, other, reason) in [
            ("VP8/90000", "H265/90000", "\(supported) H265"),
            (
                "VP8/90000\r\n", "H264/90000\r\na=fmtp:96 packetization-mode=2\r\n",
                "\(supported) H264 packetization-mode=2"
            ),
            (
                "VP8/90000", String(repeating: "x", count: 999) + "/90000",
                "\(supported) \(String(repeating: "x", count: 200))"
            ),
            ("opus/48000/2", "PCMU/8000", "audio is supported in opus; the offer has PCMU"),
            ("BUNDLE 0 1", "BUNDLE 0", "the section of video is not in a=group:BUNDLE"),
            ("a=rtcp-mux\r\n", "", "the section of audio has no a=rtcp-mux"),
        ] {
            await #expect(throws: WHIPError.badDescription(reason)) {
                try await world.room.publish(
                    WHIPWorld.offer().replacing(line, with: other), by: WHIPWorld.client())
            }
        }
        #expect(await world.peers.isEmpty)
        #expect(world.media.offers.isEmpty)
    }

    /// The room would leave its video out.
    @Test func aSourceWhoseNameIsTooLongIsRefused() async throws {
        var client = WHIPWorld.client()
        client.source = String(repeating: "x", count: 129)
        let refusal = WHIPError.room(.tooLong(field: "source", count: 129, maximum: 128))
        await #expect(throws: refusal) {
            try await world.room.publish(WHIPWorld.offer(), by: client)
        }
        #expect(await world.peers.isEmpty)
        client.source = ""
        _ = try await world.room.publish(WHIPWorld.offer(), by: client)
        #expect(await world.peers.first?.tracks.map(\.source) == ["regular", "regular"])
    }

    /// A track that a page simply adds is offered in both directions.
    @Test func aPublisherReceivesNothing() async throws {
        _ = try await world.room.publish(
            WHIPWorld.offer().replacing("a=sendonly", with: "a=sendrecv"),
            by: WHIPWorld.client())
        #expect(await world.peers.first?.tracks.count == 2)
        #expect(world.media.offers.first?.media.map(\.direction) == [.sendOnly, .sendOnly])
    }

    @Test func anOfferThatTheMediaPlaneRefusesLeavesNobodyBehind() async throws {
        world.media.refuse(.badDescription("no fingerprint"))
        await #expect(
            throws: WHIPError.badDescription("the offer was refused: no fingerprint")
        ) {
            try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        }
        #expect(await world.peers.isEmpty)
        #expect(world.media.removed.count == 1)
        world.media.refuse(nil)
        _ = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
    }

    @Test func aFullRoomSaysSo() async throws {
        var limits = RoomLimits()
        limits.peers = 1
        let world = WHIPWorld(limits: limits)
        _ = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        await #expect(throws: WHIPError.room(.roomFull(maximum: 1))) {
            try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        }
    }

    // MARK: - PATCH and DELETE

    @Test func candidatesGoToTheMediaPlaneAndUselessOnesAreNoFault() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        for address in ["192.0.2.9", "0d5f7b1c.local"] {
            let reply = try await world.room.patch(
                answer.session, with: WHIPWorld.candidate(address), ifMatch: answer.entityTag)
            #expect(reply == nil)
        }
        #expect(world.media.candidates == ["candidate:1 1 udp 1 192.0.2.9 50000 typ host"])
    }

    @Test func aRestartHasANewEntityTagAndTheOldOneHoldsNoMore() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        let restart = WHIPWorld.candidate("192.0.2.9", fragment: "Cd34")
        let reply = try #require(
            try await world.room.patch(answer.session, with: restart, ifMatch: "\"*\""))
        #expect(reply.entityTag == "\"gen2\"")
        let fragment = try TrickleFragment(parsing: reply.body)
        #expect(fragment.usernameFragment == "gen2")
        #expect(fragment.candidates.count == 1 && fragment.hasEndOfCandidates)
        let offer = try #require(world.media.offers.last)
        #expect(offer.media.map(\.ice.usernameFragment) == ["Cd34", "Cd34"])
        await #expect(throws: WHIPError.preconditionFailed) {
            try await world.room.patch(answer.session, with: restart, ifMatch: answer.entityTag)
        }
        #expect(
            try await world.room.patch(answer.session, with: restart, ifMatch: reply.entityTag)
                == nil, "the generation is in use, so there is nothing to restart")
        await #expect(throws: WHIPError.preconditionRequired) {
            try await world.room.patch(answer.session, with: restart, ifMatch: nil)
        }
    }

    @Test func patchesAreCounted() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        await #expect(throws: WHIPError.tooManyRequests) {
            for _ in 0...100 {
                _ = try await world.room.patch(
                    answer.session, with: WHIPWorld.candidate("192.0.2.9"), ifMatch: "*")
            }
        }
    }

    @Test func anEndedSessionIsUnknown() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        try await world.room.end(answer.session)
        #expect(await world.peers.isEmpty)
        #expect(world.media.removed == [answer.peer])
        await #expect(throws: WHIPError.unknownSession) {
            try await world.room.end(answer.session)
        }
        await #expect(throws: WHIPError.unknownSession) {
            try await world.room.patch(answer.session, with: "", ifMatch: "*")
        }
        #expect(await world.host.isEmpty)
    }

    // MARK: - In the room

    @Test func aPublisherThatIsPutOutHasNoSession() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        try await world.host.remove(answer.peer, reason: "enough")
        #expect(world.media.removed == [answer.peer])
        await #expect(throws: WHIPError.unknownSession) {
            try await world.room.end(answer.session)
        }
    }

    /// It is not notified, so the room withholds its media.
    @Test func aPublisherThatIsMutedIsNotForwarded() async throws {
        let first = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        let second = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        func heldBack() -> [Bool]? {
            world.media.terms(of: second.peer)?.tracks.map(\.isHeldBack)
        }
        #expect(heldBack() == [false, false])
        try await world.mute(true, of: first.peer, by: second.peer)
        #expect(heldBack() == [true, false])
        #expect(await world.peers.first?.tracks.map(\.isMuted) == [true, false])
        try await world.mute(false, of: first.peer, by: second.peer)
        #expect(heldBack() == [false, false])
    }

    /// Nor can it be asked to mute: the room unmutes it when it may speak.
    @Test func aPublisherThatIsModeratedIsNotForwarded() async throws {
        let first = try await world.room.publish(
            WHIPWorld.offer(), by: WHIPWorld.client(role: "guest"))
        let second = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        func heldBack() -> [Bool]? {
            world.media.terms(of: second.peer)?.tracks.map(\.isHeldBack)
        }
        try await world.moderate(.start(.audio), by: second.peer)
        #expect(heldBack() == [true, false])
        #expect(await world.peers.first?.tracks.map(\.isMuted) == [true, false])
        try await world.moderate(.allow(.audio, first.peer), by: second.peer)
        #expect(heldBack() == [false, false])
        #expect(await world.peers.first?.tracks.map(\.isMuted) == [false, false])
        try await world.moderate(.forbid(.audio, first.peer), by: second.peer)
        #expect(heldBack() == [true, false])
        try await world.moderate(.stop(.audio), by: second.peer)
        #expect(heldBack() == [false, false])
    }

    /// What somebody has muted stays so when nothing is moderated any more.
    @Test func aPublisherThatIsMutedWhileItIsModeratedStaysMuted() async throws {
        let first = try await world.room.publish(
            WHIPWorld.offer(), by: WHIPWorld.client(role: "guest"))
        let second = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        try await world.moderate(.start(.audio), by: second.peer)
        try await world.mute(true, of: first.peer, by: second.peer)
        try await world.moderate(.stop(.audio), by: second.peer)
        #expect(await world.peers.first?.tracks.map(\.isMuted) == [true, false])
    }

    /// It sends on meanwhile, and has no way to offer its tracks again.
    @Test func aPublisherThatMayPublishAgainIsSeenAgain() async throws {
        let first = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        let second = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        func tracks() async -> [Bool]? {
            await world.peers.first { $0.id == first.peer }?.tracks.map(\.isMuted)
        }
        try await world.mute(true, of: first.peer, by: second.peer)
        try await world.assign("guest", to: first.peer, by: second.peer)
        #expect(await tracks() == [true, false])
        try await world.assign("viewer", to: first.peer, by: second.peer)
        #expect(await tracks() == [])
        try await world.assign("host", to: first.peer, by: second.peer)
        #expect(await tracks() == [true, false])
        #expect(world.media.terms(of: second.peer)?.tracks.map(\.isHeldBack) == [true, false])
    }

    @Test func aClientThatNeverConnectsIsGoneAfterHalfAMinute() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        await world.pass(.seconds(29))
        #expect(await world.peers.count == 1)
        await world.pass(.seconds(1))
        #expect(await world.peers.isEmpty)
        #expect(world.media.removed == [answer.peer])
    }

    @Test func aClientThatVanishesIsGoneAfterFifteenSeconds() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        await world.hear(.connection(answer.peer, .named("whip"), .connected))
        await world.pass(.seconds(60))
        #expect(await world.peers.count == 1)
        await world.hear(.connection(answer.peer, .named("whip"), .disconnected))
        await world.pass(.seconds(14))
        #expect(await world.peers.count == 1)
        await world.hear(.connection(answer.peer, .named("whip"), .failed))
        await world.pass(.seconds(1))
        #expect(await world.peers.isEmpty)
    }

    @Test func aPublisherThatComesAgainTakesThePlaceOfItsLostConnection() async throws {
        var limits = RoomLimits()
        limits.peers = 1
        let world = WHIPWorld(limits: limits)
        let (offer, camera) = (WHIPWorld.offer(), WHIPWorld.client(name: "Camera"))
        func refused(_ client: WHIPCaller) async {
            await #expect(throws: WHIPError.room(.roomFull(maximum: 1))) {
                try await world.room.publish(offer, by: client)
            }
        }
        let first = try await world.room.publish(offer, by: camera)
        await refused(camera)
        await world.hear(.connection(first.peer, .named("whip"), .connected))
        await refused(camera)
        await world.hear(.connection(first.peer, .named("whip"), .disconnected))
        await refused(WHIPWorld.client(name: "Camera 2"))
        let second = try await world.room.publish(offer, by: camera)
        #expect(await world.peers.map(\.id) == [second.peer])
        #expect(world.media.removed == [first.peer])
        await #expect(throws: WHIPError.unknownSession) {
            try await world.room.end(first.session)
        }
    }

    @Test func aClientThatClosesItsConnectionIsGoneAtOnce() async throws {
        let answer = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        await world.hear(.connection(answer.peer, .named("whip"), .closed))
        #expect(await world.peers.isEmpty)
    }
}

extension WHIPWorld {
    func moderate(_ change: Moderation.Change, by peer: PeerID) async throws {
        try await Self.moderate(change, by: peer, in: host)
    }

    private static func moderate(
        _ change: Moderation.Change, by peer: PeerID, in host: isolated RoomHost
    ) async throws {
        _ = try host.room.moderationRequested(change, by: peer, at: host.clock.now())
        await host.settle()
    }

    /// One peer gives another one a role.
    func assign(_ role: String, to target: PeerID, by peer: PeerID) async throws {
        try await Self.assign(role, to: target, by: peer, in: host)
    }

    private static func assign(
        _ role: String, to target: PeerID, by peer: PeerID, in host: isolated RoomHost
    ) async throws {
        try host.room.roleChangeRequested(
            of: target, to: role, isForced: true, by: peer, at: host.clock.now())
        await host.settle()
    }

    /// One peer mutes, or unmutes, another one's audio.
    func mute(_ isMuted: Bool, of target: PeerID, by peer: PeerID) async throws {
        try await Self.mute(isMuted, of: target, by: peer, in: host)
    }

    private static func mute(
        _ isMuted: Bool, of target: PeerID, by peer: PeerID, in host: isolated RoomHost
    ) async throws {
        try host.room.mutesRequested(
            MuteRequest(isMuted: isMuted, kind: .audio), of: target, by: peer,
            at: host.clock.now())
        await host.settle()
    }
}

/// A WHEP client.
@Suite(.timeLimit(.minutes(5))) struct WHEPSessionTests {
    let world = WHIPWorld()

    static let offer = WHIPWorld.offer().replacing("a=sendonly", with: "a=recvonly")

    private func tracks(of viewer: WHIPAnswer) -> [TrackID] {
        world.media.terms(of: viewer.peer)?.tracks.map(\.publishedID) ?? []
    }

    @Test func aViewerIsNotSeenAndGetsWhoSpeaks() async throws {
        let ann = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        let ben = try await world.room.publish(
            WHIPWorld.offer().replacing("obs-", with: "ben-"), by: WHIPWorld.client())
        let viewer = try await world.room.play(
            Self.offer, by: WHIPWorld.client(role: "viewer"), view: .activeSpeaker)
        #expect(await world.peers.map(\.id) == [ann.peer, ben.peer])
        #expect(tracks(of: viewer) == ["obs-0", "obs-1"], "nobody has spoken yet")
        await world.hear(
            .activeSpeakers([
                ActiveSpeaker(peer: viewer.peer, track: "x", level: 90),
                ActiveSpeaker(peer: ben.peer, track: "ben-0", level: 40),
            ]))
        #expect(tracks(of: viewer) == ["ben-0", "ben-1"])
        await world.hear(.activeSpeakers([]))
        #expect(tracks(of: viewer) == ["ben-0", "ben-1"], "who spoke last stays")
        try await world.room.end(ben.session)
        #expect(tracks(of: viewer) == ["obs-0", "obs-1"])
    }

    @Test func aViewerOfOnePeerGetsNobodyElse() async throws {
        let ann = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        _ = try await world.room.publish(
            WHIPWorld.offer().replacing("obs-", with: "ben-"), by: WHIPWorld.client())
        let viewer = try await world.room.play(
            Self.offer, by: WHIPWorld.client(role: "viewer"), view: .peer(ann.peer))
        #expect(tracks(of: viewer) == ["obs-0", "obs-1"])
    }

    @Test func aScreenIsPlayedByItself() async throws {
        _ = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        var screen = WHIPWorld.client()
        screen.source = "screen"
        _ = try await world.room.publish(
            WHIPWorld.offer([.video]).replacing("obs-", with: "screen-"), by: screen)
        let viewer = try await world.room.play(
            Self.offer, by: WHIPWorld.client(role: "viewer"), view: .presentation)
        #expect(tracks(of: viewer) == ["screen-0"])
    }

    @Test func aViewerPublishesNothing() async throws {
        try await publish()
        _ = try await world.room.play(
            WHIPWorld.offer().replacing("a=sendonly", with: "a=sendrecv"),
            by: WHIPWorld.client(), view: .activeSpeaker)
        #expect(world.media.offers.last?.media.map(\.direction) == [.receiveOnly, .receiveOnly])
    }

    @Test func nothingIsPlayedOfAnEmptyRoomOrOfNobody() async throws {
        let viewer = WHIPWorld.client(role: "viewer")
        await #expect(throws: WHIPError.nothingToPlay) {
            try await world.room.play(Self.offer, by: viewer, view: .activeSpeaker)
        }
        await #expect(throws: WHIPError.unknownPeer("nobody")) {
            try await world.room.play(Self.offer, by: viewer, view: .peer("nobody"))
        }
        await #expect(throws: WHIPError.self) {
            try await world.room.play(WHIPWorld.offer(), by: viewer, view: .activeSpeaker)
        }
        #expect(await world.host.isEmpty)
    }

    @Test func aRoleThatReceivesNothingIsRefused() async throws {
        let policy = try Policy(validating: [
            Role(
                name: "host", publishParams: PublishParameters(allowed: [.audio, .video]),
                subscribeParams: SubscribeParameters(subscribeToRoles: ["host"])),
            Role(name: "deaf"),
            Role(
                name: "fan", subscribeParams: SubscribeParameters(subscribeToRoles: ["deaf"])),
        ])
        let world = WHIPWorld(policy: policy)
        let ann = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
        await #expect(throws: WHIPError.forbidden("role 'deaf' receives nothing")) {
            try await world.room.play(
                Self.offer, by: WHIPWorld.client(role: "deaf"), view: .activeSpeaker)
        }
        await #expect(throws: WHIPError.forbidden("role 'fan' does not receive role 'host'")) {
            try await world.room.play(
                Self.offer, by: WHIPWorld.client(role: "fan"), view: .peer(ann.peer))
        }
    }

    // MARK: - Our own offers

    /// A room with a publisher.
    private func publish() async throws {
        _ = try await world.room.publish(WHIPWorld.offer(), by: WHIPWorld.client())
    }

    private static let answer = WHIPWorld.offer(fragment: "Ef56")

    @Test(arguments: [false, true])
    func aViewerThatOffersNothingToPlayIsOfferedSomething(offersUseless: Bool) async throws {
        try await publish()
        let given = try await world.room.play(
            offersUseless ? WHIPWorld.offer() : "", by: WHIPWorld.client(role: "viewer"),
            view: .activeSpeaker)
        #expect(given.isCounterOffer == offersUseless)
        let offer = try SessionDescription.parse(given.body)
        #expect(offer.media.map(\.kind) == [.audio, .video])
        #expect(offer.media.map(\.direction) == [.sendOnly, .sendOnly])
        #expect(given.entityTag == "\"gen2\"")

        try await world.room.admitAnswer(given.session)
        try await world.room.answer(given.session, with: Self.answer)
        #expect(world.media.answers.count == 1)
        await #expect(throws: WHIPError.badDescription("the session has an answer already")) {
            try await world.room.admitAnswer(given.session)
        }
        let restart = WHIPWorld.candidate("192.0.2.9", fragment: "Cd34")
        let reply = try await world.room.patch(given.session, with: restart, ifMatch: "*")
        #expect(reply?.entityTag == "\"gen3\"")
        #expect(world.media.offers.last?.media.map(\.ice.usernameFragment) == ["Cd34", "Cd34"])
        try await world.room.end(given.session)
        #expect(world.media.removed == [given.peer])
    }

    @Test func anOfferThatIsNeverAnsweredEndsItsSession() async throws {
        try await publish()
        let publisher = try #require(await world.peers.first).id
        await world.hear(.connection(publisher, .named("whip"), .connected))
        let given = try await world.room.play(
            "", by: WHIPWorld.client(role: "viewer"), view: .everything)
        #expect(
            try await world.room.patch(
                given.session, with: WHIPWorld.candidate("192.0.2.9"), ifMatch: given.entityTag)
                == nil,
            "candidates may come first")
        await world.pass(.seconds(29))
        #expect(world.media.removed.isEmpty)
        await world.pass(.seconds(1))
        #expect(world.media.removed == [given.peer])
        await #expect(throws: WHIPError.unknownSession) {
            try await world.room.answer(given.session, with: Self.answer)
        }
    }

    @Test func answersAreCounted() async throws {
        try await publish()
        let given = try await world.room.play(
            "", by: WHIPWorld.client(role: "viewer"), view: .everything)
        await #expect(throws: WHIPError.tooManyRequests) {
            for _ in 0...100 { try await world.room.admitAnswer(given.session) }
        }
    }

    @Test func anAnswerThatIsOfNoUseMayBeFollowedByAnother() async throws {
        try await publish()
        let given = try await world.room.play(
            "", by: WHIPWorld.client(role: "viewer"), view: .everything)
        world.media.refuse(.badDescription("no fingerprint"))
        await #expect(
            throws: WHIPError.badDescription("the answer was refused: no fingerprint")
        ) {
            try await world.room.answer(given.session, with: Self.answer)
        }
        await #expect(throws: WHIPError.self) {
            try await world.room.answer(given.session, with: "nonsense")
        }
        world.media.refuse(nil)
        try await world.room.answer(given.session, with: Self.answer)
    }
}
