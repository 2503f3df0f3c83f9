import MediaKernel
import Rooms
import Testing

@Suite struct ModerationTests {
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("a")
        try fixture.join("b")
        try fixture.publish([.microphone("mh")], by: "h")
        try fixture.publish([.microphone("ma"), .camera("va")], by: "a")
        try fixture.publish([.microphone("mb")], by: "b")
    }

    @discardableResult
    mutating func moderate(
        _ isOn: Bool = true, _ kind: PublishParameters.Kind = .audio, by asker: PeerID = "h"
    ) throws -> Bool {
        try fixture.room.moderationRequested(
            isOn ? .start(kind) : .stop(kind), by: asker, at: fixture.now)
    }

    @discardableResult
    mutating func allow(
        _ isAllowed: Bool = true, _ kind: PublishParameters.Kind = .audio, _ target: PeerID = "a",
        by asker: PeerID = "h"
    ) throws -> Bool {
        try fixture.room.moderationRequested(
            isAllowed ? .allow(kind, target) : .forbid(kind, target), by: asker, at: fixture.now)
    }

    mutating func say(_ isMuted: Bool, _ track: TrackID = "ma", by peer: PeerID = "a") throws {
        try fixture.room.tracksUpdated(
            [track: TrackChange(isMuted: isMuted)], by: peer, at: fixture.now)
    }

    func isMuted(_ track: TrackID, of peer: PeerID) -> Bool? {
        fixture.room.peers[peer]?.track(published: track)?.isMuted
    }

    /// The tracks that a peer was asked to mute.
    func asked(_ peer: PeerID, _ effects: [RoomEffect]) -> [TrackID] {
        effects.told(peer).compactMap { event in
            guard case .unmuteHeld(let track, by: "h") = event else {
                return nil
            }
            return track.id
        }
    }

    @Test mutating func allOthersAreMutedAndAskedToMute() throws {
        #expect(try moderate())
        let effects = fixture.drain()
        #expect(isMuted("ma", of: "a") == true && isMuted("mb", of: "b") == true)
        #expect(isMuted("va", of: "a") == false && isMuted("mh", of: "h") == false)
        #expect(asked("a", effects) == ["ma"] && asked("b", effects) == ["mb"])
        #expect(asked("h", effects).isEmpty)
        let told = effects.told("b").contains { event in
            guard case .tracksUpdated(let tracks, of: let peer) = event else { return false }
            return peer.id == "a" && tracks.map(\.isMuted) == [true]
        }
        #expect(told)
        // Their media are held back from now on.
        #expect(effects.contains(.resubscribe("b")))
        #expect(try !moderate())
        #expect(fixture.drain().isEmpty)
    }

    @Test mutating func onlyWhoMayMuteOthersModerates() throws {
        let refused = RoomError.missingPermission(.mute, role: "guest")
        #expect(roomError { try moderate(by: "a") } == refused)
        try moderate()
        #expect(roomError { try moderate(false, by: "a") } == refused)
        #expect(roomError { try allow(by: "a") } == refused)
        #expect(roomError { try allow(true, .audio, "x") } == .unknownPeer("x"))
        #expect(fixture.room.peers.moderation[.audio]?.starter == "h")
        #expect(fixture.room.peers.moderation[.audio]?.allowed == [])
    }

    @Test mutating func whoUnmutesStaysMutedUntilItIsAllowed() throws {
        try moderate()
        try say(true)
        _ = fixture.drain()
        try say(false)
        let effects = fixture.drain()
        #expect(asked("a", effects) == ["ma"])
        // Nothing has changed for others.
        #expect(effects.told("b").isEmpty)
        #expect(isMuted("ma", of: "a") == true)
        #expect(try allow())
        #expect(isMuted("ma", of: "a") == false)
        #expect(try !allow())
        #expect(try allow(false))
        #expect(isMuted("ma", of: "a") == true)
        #expect(try !allow(false))
        // It has muted itself, as it was asked to.
        try say(true)
        #expect(try allow())
        #expect(isMuted("ma", of: "a") == true)
        try say(false)
        #expect(isMuted("ma", of: "a") == false)
    }

    @Test mutating func itsEndUnmutesWhoHasNotMuted() throws {
        try moderate()
        try moderate(true, .video)
        // Nobody is asked twice.
        #expect(asked("a", fixture.drain()) == ["ma", "va"])
        try say(true)
        #expect(try moderate(false))
        #expect(isMuted("ma", of: "a") == true && isMuted("mb", of: "b") == false)
        #expect(isMuted("va", of: "a") == true)
        #expect(try !moderate(false))
        #expect(try fixture.room.moderationRequested(.end, by: nil, at: fixture.now))
        #expect(isMuted("va", of: "a") == false)
        #expect(fixture.room.peers.moderation[.video] == nil)
    }

    @Test mutating func whatIsPublishedLaterIsMutedToo() throws {
        try moderate()
        _ = fixture.drain()
        try fixture.join("c")
        let effects = try fixture.publish([.microphone("mc"), .camera("vc")], by: "c")
        #expect(asked("c", effects) == ["mc"])
        #expect(isMuted("mc", of: "c") == true && isMuted("vc", of: "c") == false)
        // Tracks that are gone are forgotten.
        try fixture.publish([.camera("vc")], by: "c")
        try allow(true, .audio, "c")
        try fixture.publish([.microphone("mc")], by: "c")
        #expect(isMuted("mc", of: "c") == false)
        fixture.room.left("c")
        #expect(fixture.room.peers.moderation[.audio]?.allowed == [])
    }

    @Test mutating func aScreenIsAnotherKind() throws {
        try fixture.publish(
            [Track(id: "sb", streamID: "s", kind: .video, source: "screen"), .camera("vb")],
            by: "b")
        try moderate(true, .screen)
        #expect(isMuted("sb", of: "b") == true && isMuted("vb", of: "b") == false)
        let peer = try #require(fixture.room.peers["b"])
        #expect(fixture.room.peers.isHeld(.screen, of: peer))
        #expect(!fixture.room.peers.isHeld(.video, of: peer))
    }

    /// Clients choose the names of their sources.
    @Test mutating func aSoundIsOneWhateverItsSourceIsCalled() throws {
        try moderate()
        let sound = Track(id: "mb", streamID: "s", kind: .audio, source: "screen")
        try fixture.publish([sound], by: "b")
        #expect(isMuted("mb", of: "b") == true)
        #expect(fixture.room.peers.isHeldBack("mb", of: "b"))
    }

    @Test mutating func aCameraThatBecomesAScreenIsHeldBackAsOne() throws {
        try fixture.publish([.camera("vb")], by: "b")
        try moderate(true, .screen)
        _ = fixture.drain()
        let screen = Track(id: "vb", streamID: "s", kind: .video, source: "screen")
        let effects = try fixture.publish([screen], by: "b")
        #expect(isMuted("vb", of: "b") == true)
        #expect(effects.contains(.resubscribe("a")))
    }

    @Test mutating func aRoleThatMayMuteOthersIsFree() throws {
        try moderate()
        try fixture.room.roleChanged("a", to: "host")
        #expect(isMuted("ma", of: "a") == false)
        #expect(isMuted("mb", of: "b") == true)
        _ = fixture.drain()
        try fixture.room.roleChanged("a", to: "guest")
        #expect(isMuted("ma", of: "a") == true)
        #expect(asked("a", fixture.drain()) == ["ma"])
    }

    @Test mutating func theNextSessionIsNotModerated() throws {
        try moderate()
        for peer: PeerID in ["h", "a", "b"] { fixture.room.left(peer) }
        #expect(fixture.room.peers.moderation[.audio] == nil)
    }

    @Test mutating func aRefusedChangeUnmutesNothing() throws {
        try moderate()
        try say(true)
        try allow()
        let long = String(repeating: "x", count: RoomLimits.descriptionBytes + 1)
        #expect(throws: RoomError.self) {
            try fixture.room.tracksUpdated(
                ["ma": TrackChange(isMuted: false), "va": TrackChange(description: long)],
                by: "a", at: fixture.now)
        }
        #expect(isMuted("ma", of: "a") == true)
    }
}
