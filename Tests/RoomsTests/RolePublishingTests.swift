import MediaKernel
import Rooms
import Testing

/// Publishing and receiving follow the role.
@Suite struct RolePublishingTests {
    var fixture: RoomFixture

    /// A stage that the audience sees, and a backstage that only the stage sees.
    init() throws {
        fixture = RoomFixture(
            policy: try Policy(validating: [
                Role(
                    name: "stage", publishParams: PublishParameters(allowed: [.audio, .video]),
                    subscribeParams: SubscribeParameters(subscribeToRoles: ["stage", "backstage"]),
                    permissions: .all),
                Role(
                    name: "backstage", publishParams: PublishParameters(allowed: [.audio]),
                    subscribeParams: SubscribeParameters(subscribeToRoles: ["backstage"])),
                Role(
                    name: "audience",
                    subscribeParams: SubscribeParameters(subscribeToRoles: ["stage"])),
            ]))
        try fixture.join("s", role: "stage")
        try fixture.join("t", role: "stage")
        try fixture.join("u", role: "audience")
        try fixture.publish([.microphone("ms"), .camera("vs")], by: "s")
        try fixture.publish([.microphone("mt"), .camera("vt")], by: "t")
    }

    mutating func change(_ peer: PeerID, to role: String) throws -> [RoomEffect] {
        try fixture.room.roleChanged(peer, to: role)
        return fixture.drain()
    }

    @Test mutating func listenersAndPublishersChangeOnBothSides() throws {
        let down = try change("t", to: "backstage")
        // The stage still sees it, without its camera; the audience no longer does.
        #expect(down.told("s").compactMap(tracks) == ["- vt of t"])
        #expect(down.told("u").compactMap(tracks) == ["- mt vt of t"])
        // It no longer sees the stage.
        #expect(down.told("t").compactMap(tracks) == ["- ms vs of s"])
        for peer in ["s", "t", "u"] as [PeerID] { #expect(down.contains(.resubscribe(peer))) }
        #expect(fixture.room.subscriptions(of: "s").map(\.id) == ["mt"])
        #expect(fixture.room.subscriptions(of: "t").isEmpty)
        #expect(fixture.room.subscriptions(of: "u").map(\.id) == ["ms", "vs"])

        let up = try change("t", to: "stage")
        #expect(up.told("s").compactMap(tracks) == [])
        #expect(up.told("u").compactMap(tracks) == ["+ mt of t"])
        #expect(up.told("t").compactMap(tracks) == ["+ ms vs of s"])
        #expect(!up.contains(.resubscribe("s")))
    }

    /// The web client unpublishes one track after the other, and each of its offers still lists
    /// the others.
    @Test mutating func offersThatStillListWhatWasTakenAwayAreTakenWithoutIt() throws {
        _ = try change("t", to: "backstage")
        #expect(fixture.room.subscriptions(of: "s").map(\.id) == ["mt"])
        let both: [Track] = [.microphone("mt"), .camera("vt")]
        #expect(try fixture.leftOut(both, by: "t").isEmpty)
        #expect(fixture.drain().isEmpty)
        _ = try change("t", to: "audience")
        #expect(try fixture.leftOut(both, by: "t").isEmpty)
        #expect(fixture.drain().isEmpty)
        #expect(
            try fixture.leftOut(both + [.camera("new")], by: "t")
                == [.mayNotPublish(kind: "video", role: "audience")])
        #expect(fixture.room.peers.trackCount == 2)
    }

    @Test mutating func aMuteOfWhatWasTakenAwayIsPassedOver() throws {
        _ = try change("t", to: "backstage")
        let changes: [TrackID: TrackChange] = [
            "vt": TrackChange(isMuted: true), "mt": TrackChange(isMuted: true),
        ]
        try fixture.room.tracksUpdated(changes, by: "t", at: fixture.now)
        #expect(fixture.drain().told("s").count == 1)
        #expect(fixture.room.peers["t"]?.tracks.map(\.isMuted) == [true])
        #expect(
            roomError {
                try fixture.room.tracksUpdated(
                    ["vs": TrackChange(isMuted: true)], by: "t", at: fixture.now)
            } == .unknownTrack("vs"))
    }

    @Test mutating func whatIsAllowedAgainIsPublishedAgainUnderItsOldID() throws {
        _ = try change("t", to: "audience")
        _ = try change("t", to: "stage")
        #expect(fixture.room.subscriptions(of: "s").isEmpty)
        let effects = try fixture.publish([.camera("vt")], by: "t")
        #expect(effects.told("s").compactMap(tracks) == ["+ vt of t"])
        // It is its own again, and so no longer an excuse.
        try fixture.publish([], by: "t")
        #expect(
            roomError {
                try fixture.room.tracksUpdated(
                    ["vt": TrackChange(isMuted: true)], by: "t", at: fixture.now)
            } == .unknownTrack("vt"))
    }

    @Test mutating func anOfferThatIsBeingNegotiatedIsTakenWithoutWhatIsNotAllowed() throws {
        let more: [Track] = [.microphone("mt"), .camera("vt"), .camera("wt")]
        try fixture.room.fanOutRequested(by: "t", at: fixture.now)
        _ = try change("t", to: "backstage")
        #expect(try fixture.publish(more, by: "t").isEmpty)
        #expect(fixture.room.peers["t"]?.tracks.map(\.id) == ["mt"])
    }

    @Test mutating func whatWasTakenAwayIsRememberedUpToAMaximum() throws {
        var limits = RoomLimits()
        limits.tracksPerPeer = 1
        fixture = RoomFixture(policy: fixture.room.policy, limits: limits)
        try fixture.join("t", role: "stage")
        for id in ["v1", "v2", "v3"] as [TrackID] {
            try fixture.publish([.camera(id)], by: "t")
            _ = try change("t", to: "audience")
            _ = try change("t", to: "stage")
        }
        _ = try change("t", to: "audience")
        let refused = RoomError.mayNotPublish(kind: "video", role: "audience")
        #expect(try fixture.leftOut([.camera("v2")], by: "t").isEmpty)
        #expect(try fixture.leftOut([.camera("v3")], by: "t").isEmpty)
        #expect(try fixture.leftOut([.camera("v1")], by: "t") == [refused])
    }

    @Test mutating func aPeerThatDoesNotPublishChangesNobodysSubscriptions() throws {
        try fixture.join("v", role: "audience")
        let effects = try change("v", to: "backstage")
        #expect(effects.told("s").count == 1)
        #expect(effects.told("v").compactMap(tracks) == ["- ms vs of s", "- mt vt of t"])
        #expect(!effects.contains(.resubscribe("s")))
    }
}

/// An event's tracks, in short.
private func tracks(_ event: RoomEvent) -> String? {
    func ids(_ tracks: [Track]) -> String { tracks.map(\.id.rawValue).joined(separator: " ") }
    switch event {
    case .tracksAdded(let tracks, let peer): return "+ \(ids(tracks)) of \(peer.id)"
    case .tracksRemoved(let tracks, let peer): return "- \(ids(tracks)) of \(peer.id)"
    default: return nil
    }
}
