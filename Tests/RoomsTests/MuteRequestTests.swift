import MediaKernel
import Rooms
import Testing

@Suite struct MuteRequestTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("a")
        try fixture.join("b")
        try fixture.join("v", role: "viewer")
        try fixture.publish([.microphone("mh")], by: "h")
        try fixture.publish([.microphone("ma"), .camera("va")], by: "a")
        try fixture.publish(
            [Track(id: "sb", streamID: "s", kind: .video, source: "screen")], by: "b")
    }

    mutating func ask(
        _ isMuted: Bool = true, track: TrackID = "ma", stream: String? = nil, of peer: PeerID = "a",
        by asker: PeerID = "h"
    ) throws -> [RoomEffect] {
        try fixture.room.muteRequested(
            isMuted, track: track, stream: stream, of: peer, by: asker, at: fixture.now)
        return fixture.drain()
    }

    mutating func askAll(
        _ request: MuteRequest, of peer: PeerID? = nil, by asker: PeerID = "h"
    ) throws -> [RoomEffect] {
        try fixture.room.mutesRequested(request, of: peer, by: asker, at: fixture.now)
        return fixture.drain()
    }

    @Test mutating func thePublisherOfATrackIsAskedAndNobodyElse() throws {
        let effects = try ask(false, track: "va", stream: "s-va")
        #expect(
            effects == [
                .tell(["a"], .trackMuteRequested(.camera("va"), isMuted: false, by: "h"))
            ])
        #expect(fixture.room.peers["a"]?.tracks.allSatisfy { !$0.isMuted } == true)
    }

    @Test mutating func aTrackIsKnownByItsPublisherAndItsStream() {
        #expect(roomError { _ = try ask(track: "mh") } == .unknownTrack("mh"))
        #expect(
            roomError { _ = try ask(stream: "x") }
                == .invalidField(field: "stream_id", reason: "is not that of track ma"))
        #expect(roomError { _ = try ask(of: "x") } == .unknownPeer("x"))
    }

    /// A role may be allowed to mute others but not to unmute them.
    @Test mutating func mutingAndUnmutingArePermittedApart() throws {
        var permissions = Permissions()
        permissions.mute = true
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(name: "usher", permissions: permissions),
                Role(name: "guest", publishParams: PublishParameters(allowed: [.audio])),
            ]))
        try fixture.join("h", role: "usher")
        try fixture.join("a")
        try fixture.publish([.microphone("ma")], by: "a")
        let refused = RoomError.missingPermission(.unmute, role: "usher")
        #expect(try ask().count == 1)
        #expect(roomError { _ = try ask(false) } == refused)
        #expect(try askAll(MuteRequest(isMuted: true)).count == 1)
        #expect(roomError { _ = try askAll(MuteRequest(isMuted: false)) } == refused)
        let none = RoomError.missingPermission(.mute, role: "guest")
        #expect(roomError { _ = try ask(by: "a") } == none)
        #expect(roomError { _ = try askAll(MuteRequest(isMuted: true), by: "a") } == none)
    }

    @Test mutating func allOthersAreAskedWhoPublishWhatItIsAbout() throws {
        try fixture.join("bot", role: Policy.recorderRole)
        let everything = MuteRequest(isMuted: true)
        #expect(
            try askAll(everything) == [.tell(["a", "b"], .mutesRequested(everything, by: "h"))])
        #expect(try askAll(MuteRequest(isMuted: true, kind: .audio)).toldPeers == ["a"])
        #expect(try askAll(MuteRequest(isMuted: true, kind: .video)).toldPeers == ["a", "b"])
        #expect(
            try askAll(MuteRequest(isMuted: true, kind: .video, source: "regular")).toldPeers
                == ["a"])
        #expect(try askAll(MuteRequest(isMuted: true, source: "plugin")).isEmpty)
        #expect(try askAll(MuteRequest(isMuted: true, roles: ["viewer"])).isEmpty)
        #expect(try askAll(MuteRequest(isMuted: true, roles: ["guest"])).toldPeers == ["a", "b"])
        #expect(try askAll(everything, of: "b").toldPeers == ["b"])
        fixture.room.connectionLost("b", at: fixture.now)
        #expect(try askAll(everything).toldPeers == ["a"])
        #expect(try askAll(everything, of: "b").isEmpty)
    }

    @Test mutating func whatIsAskedHasItsLimits() throws {
        let word = String(repeating: "x", count: 129)
        #expect(
            roomError { _ = try askAll(MuteRequest(isMuted: true, source: word)) }
                == .tooLong(field: "source", count: 129, maximum: 128))
        let roles = Array(repeating: "guest", count: 101)
        #expect(
            roomError { _ = try askAll(MuteRequest(isMuted: true, roles: roles)) }
                == .tooLong(field: "roles", count: 101, maximum: 100))
        #expect(
            roomError {
                _ = try askAll(MuteRequest(isMuted: true, roles: [Policy.recorderRole]))
            } == .unknownRole(Policy.recorderRole))
        #expect(
            roomError { _ = try askAll(MuteRequest(isMuted: true), of: "x") } == .unknownPeer("x"))
        // One was spent on joining.
        for _ in 0..<99 { _ = try ask() }
        let tooMany = RoomError.tooManyRequests(perSecond: 20)
        #expect(roomError { _ = try ask() } == tooMany)
        #expect(roomError { _ = try askAll(MuteRequest(isMuted: true)) } == tooMany)
    }
}
