import MediaKernel
import Rooms
import Testing

@Suite struct TrackTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("a")
        try fixture.join("b")
    }

    @Test mutating func aPublishedTrackIsToldToItsSubscribersAndTheyAreResubscribed() throws {
        let effects = try fixture.publish([.microphone("m"), .camera("v")], by: "a")
        #expect(effects.last == .resubscribe("b"))
        guard case .tracksAdded(let tracks, let peer)? = effects.told("b").first else {
            Issue.record("b was not told")
            return
        }
        #expect(tracks.map(\.id) == ["m", "v"])
        #expect(peer.id == "a")
        #expect(effects.told("a").isEmpty)
        #expect(fixture.room.subscriptions(of: "b").map(\.id) == ["m", "v"])
        #expect(fixture.room.subscriptions(of: "a").isEmpty)
        #expect(fixture.room.peers.trackCount == 2)
    }

    @Test mutating func anOfferWithFewerTracksRemovesTheOthersAndKeepsTheOrder() throws {
        try fixture.publish([.microphone("m"), .camera("v")], by: "a")
        let effects = try fixture.publish([.camera("w"), .camera("v")], by: "a")
        let told = effects.told("b")
        #expect(told.count == 2)
        guard case .tracksRemoved(let removed, _)? = told.first,
            case .tracksAdded(let added, _)? = told.last
        else {
            Issue.record("wrong events: \(told)")
            return
        }
        #expect(removed.map(\.id) == ["m"])
        #expect(added.map(\.id) == ["w"])
        #expect(fixture.room.subscriptions(of: "b").map(\.id) == ["v", "w"])
    }

    @Test mutating func anOfferWithTheSameTracksChangesNothing() throws {
        try fixture.publish([.camera("v")], by: "a")
        #expect(try fixture.publish([.camera("v")], by: "a").isEmpty)
    }

    @Test mutating func aMuteIsToldToSubscribersAndDoesNotResubscribe() throws {
        try fixture.publish([.camera("v")], by: "a")
        try fixture.room.tracksUpdated(
            ["v": TrackChange(isMuted: true)], by: "a", at: fixture.now)
        let effects = fixture.drain()
        guard case .tracksUpdated(let tracks, _)? = effects.told("b").first else {
            Issue.record("b was not told")
            return
        }
        #expect(tracks.map(\.isMuted) == [true])
        #expect(effects.count == 1)
        try fixture.room.tracksUpdated(
            ["v": TrackChange(isMuted: true)], by: "a", at: fixture.now)
        #expect(fixture.drain().isEmpty)
    }

    /// A peer whose mute is not announced is thought to be listening.
    @Test mutating func aMutePastTheRateIsToldAsSoonAsThereIsRateAgain() throws {
        try fixture.publish([.camera("v"), .microphone("m")], by: "a")
        for _ in 0..<99 { try fixture.room.fanOutRequested(by: "a", at: fixture.now) }
        func say(_ track: TrackID, isMuted: Bool) throws {
            try fixture.room.tracksUpdated(
                [track: TrackChange(isMuted: isMuted)], by: "a", at: fixture.now)
        }
        for isMuted in [true, false, true] { try say("v", isMuted: isMuted) }
        try say("m", isMuted: true)
        fixture.room.handleTimeout(at: fixture.now)
        #expect(fixture.drain().isEmpty)
        #expect(fixture.room.peers.listed(for: "b")[0].tracks.map(\.isMuted) == [true, true])

        fixture.now += .milliseconds(60)
        fixture.room.handleTimeout(at: fixture.now)
        let told = fixture.drain().told("b")
        guard told.count == 1, case .tracksUpdated(let tracks, _) = told[0] else {
            Issue.record("\(told)")
            return
        }
        #expect(tracks.map(\.id) == ["v", "m"] && tracks.allSatisfy(\.isMuted))
        fixture.now += .seconds(1)
        fixture.room.handleTimeout(at: fixture.now)
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func aPeerCannotMuteWhatIsNotItsOwn() throws {
        try fixture.publish([.camera("v")], by: "a")
        let error = roomError {
            try fixture.room.tracksUpdated(
                ["v": TrackChange(isMuted: true)], by: "b", at: fixture.now)
        }
        #expect(error == .unknownTrack("v"))
        #expect(error?.kind == .unknown)
    }

    @Test mutating func offersAreCounted() {
        // One was spent on joining.
        for _ in 0..<99 {
            #expect(
                roomError { try fixture.room.fanOutRequested(by: "a", at: fixture.now) } == nil)
        }
        #expect(
            roomError { try fixture.room.fanOutRequested(by: "a", at: fixture.now) }
                == .tooManyRequests(perSecond: 20))
    }

    /// A browser without an answer to its offer cannot make another one.
    @Test mutating func whatMayNotBePublishedIsLeftOutAndTheRestIsPublished() throws {
        try fixture.publish([.camera("v")], by: "a")
        let offered: [Track] = [.camera("v "), .microphone("m")]
        #expect(try fixture.leftOut(offered, by: "b").count == 1)
        #expect(fixture.room.peers["b"]?.tracks.map(\.id) == ["m"])
        // It lists them all again, in each offer and on its return, and has been warned.
        #expect(try fixture.leftOut(offered, by: "b").isEmpty)
        try fixture.room.tracksUpdated(
            ["v ": TrackChange(isMuted: true), "m": TrackChange(isMuted: true)], by: "b",
            at: fixture.now)
        #expect(fixture.room.peers["b"]?.tracks.map(\.isMuted) == [true])
        #expect(fixture.room.peers["a"]?.tracks.map(\.isMuted) == [false])
    }

    /// Clients that number their tracks use the same names as others.
    @Test mutating func tracksOfTwoPeersThatAreCalledAlikeAreToldApart() throws {
        try fixture.join("c")
        try fixture.publish([.camera("t0"), .microphone("t1")], by: "a")
        let effects = try fixture.publish([.camera("t0"), .microphone("t1")], by: "b")
        guard case .tracksAdded(let tracks, _)? = effects.told("c").first else {
            Issue.record("c was not told")
            return
        }
        #expect(tracks.map(\.publishedID) == ["t0", "t1"])
        #expect(tracks.map(\.id) == ["t0-2", "t1-2"], "the second who joined")
        #expect(fixture.room.subscriptions(of: "c").map(\.id) == ["t0", "t1", "t0-2", "t1-2"])
        // It keeps using its own names for them.
        let again = try fixture.publish([.microphone("t1"), .camera("t0")], by: "b")
        #expect(again.isEmpty)
        try fixture.room.tracksUpdated(
            ["t0": TrackChange(isMuted: true)], by: "b", at: fixture.now)
        #expect(fixture.room.peers["b"]?.tracks.map(\.isMuted) == [true, false])
        #expect(fixture.room.peers["a"]?.tracks.map(\.isMuted) == [false, false])
        // The peer that has the name leaves; the other keeps its own.
        fixture.room.left("a")
        _ = try fixture.publish([.camera("t0")], by: "b")
        #expect(fixture.room.subscriptions(of: "c").map(\.id) == ["t0-2"])
    }

    @Test mutating func aNameThatWasMadeIsTakenByNobodyElse() throws {
        let longest = Track(
            id: TrackID(String(repeating: "v", count: 128)), streamID: "s", kind: .video)
        try fixture.join("c")
        try fixture.publish([.camera("t"), .camera("t-2"), longest], by: "a")
        try fixture.publish([.camera("t"), .camera("t-2"), longest], by: "b")
        try fixture.publish([.camera("t-2"), .camera("t")], by: "c")
        let ids = fixture.room.peers.publishers.flatMap(\.tracks).map(\.id)
        #expect(Set(ids).count == ids.count && ids.count == 8, "\(ids)")
        #expect(ids.allSatisfy { $0.rawValue.utf8.count <= 128 })
    }

    @Test mutating func tracksPastTheMaximumAreLeftOutAndNoneThatIsThere() throws {
        let tracks = (0...17).map { Track.camera(TrackID("v\($0)")) }
        try fixture.publish([tracks[17]], by: "a")
        #expect(
            try fixture.leftOut(tracks, by: "a") == [.tooManyTracks(count: 18, maximum: 16)])
        let published = try #require(fixture.room.peers["a"]?.tracks.map(\.id))
        #expect(published == [tracks[17].id] + tracks.prefix(15).map(\.id))
    }

    @Test mutating func aRolePublishesWhatItIsAllowedToAndNothingElse() throws {
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(name: "speaker", publishParams: PublishParameters(allowed: [.audio])),
                Role(name: "sharer", publishParams: PublishParameters(allowed: [.screen])),
            ]))
        try fixture.join("s", role: "speaker")
        try fixture.join("t", role: "sharer")
        try fixture.publish([.microphone("m")], by: "s")
        let refusal = try fixture.leftOut([.microphone("m"), .camera("v")], by: "s")
        #expect(refusal.map(\.message) == ["role 'speaker' may not publish video"])
        #expect(refusal.map(\.kind) == [.forbidden])
        #expect(fixture.room.peers["s"]?.tracks.map(\.id) == ["m"])
        let screen = Track(id: "d", streamID: "s", kind: .video, source: "screen")
        let sound = Track(id: "e", streamID: "s", kind: .audio, source: "screen")
        try fixture.publish([screen, sound], by: "t")
        #expect(
            try fixture.leftOut([screen], by: "s")
                == [.mayNotPublish(kind: "screen", role: "speaker")])
    }

    @Test mutating func onlyThoseWhoSubscribeToARoleHearOfItsTracks() throws {
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(
                    name: "stage", publishParams: PublishParameters(allowed: [.video]),
                    subscribeParams: SubscribeParameters(subscribeToRoles: ["stage"])),
                Role(
                    name: "audience",
                    subscribeParams: SubscribeParameters(subscribeToRoles: ["stage"])),
                Role(name: "blind"),
                Role(name: Policy.recorderRole, isHidden: true),
            ]))
        try fixture.join("s", role: "stage")
        try fixture.join("a", role: "audience")
        try fixture.join("x", role: "blind")
        try fixture.join("bot", role: Policy.recorderRole)
        let effects = try fixture.publish([.camera("v")], by: "s")
        #expect(effects.toldPeers == ["a", "bot"])
        #expect(fixture.room.subscriptions(of: "x").isEmpty)
        #expect(fixture.room.peers.listed(for: "x").first?.tracks.isEmpty == true)
        #expect(fixture.room.peers.listed(for: "a").first?.tracks.count == 1)
        #expect(fixture.room.peers.listed(for: "x").map(\.id) == ["s", "a"])
    }

    @Test(arguments: [
        (Track(id: "", streamID: "s", kind: .audio), "track_id is empty"),
        (
            Track(id: "a b", streamID: "s", kind: .audio),
            "track_id must be visible ASCII without blanks"
        ),
        (Track(id: "t", streamID: "", kind: .audio), "stream_id is empty"),
        (
            Track(id: "t", streamID: "s", kind: .audio, source: String(repeating: "x", count: 129)),
            "source is too long: 129 of at most 128"
        ),
    ])
    mutating func aTrackWithBadFieldsIsLeftOutByField(track: Track, message: String) throws {
        #expect(try fixture.leftOut([track], by: "a").map(\.message) == [message])
        #expect(fixture.room.peers.trackCount == 0)
    }
}
