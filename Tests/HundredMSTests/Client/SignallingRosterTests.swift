import HundredMS
import HundredMSTerms
import MediaKernel
import Rooms
import Testing

@Suite struct SignallingRosterTests {
    var room = SignallingRoster(ownID: "me")

    func peer(_ id: PeerID, name: String = "N", tracks: [TrackPayload]? = nil) -> PeerPayload {
        PeerPayload(
            peerID: id, role: "guest", info: PeerInfoPayload(name: name), realtime: true,
            tracks: tracks.map { list in
                Dictionary(uniqueKeysWithValues: list.map { ($0.trackID.rawValue, $0) })
            })
    }

    func track(_ id: TrackID, mute: Bool = false) -> TrackPayload {
        TrackPayload(trackID: id, streamID: "s", type: .video, mute: mute)
    }

    func list(_ peers: [PeerPayload], hls: HLSState = HLSState()) -> SignallingEvent {
        var room = Room(id: "r", name: "r", policy: .standard, seed: 1)
        room.streamingChanged(.hls(hls))
        return .peerList(
            PeerListPayload(
                peers: Dictionary(uniqueKeysWithValues: peers.map { ($0.peerID.rawValue, $0) }),
                room: RoomStatePayload(room)))
    }

    @Test mutating func aListIsPeersThenTheirTracksAndNeverOurselves() {
        let changes = room.received(
            list([peer("b", tracks: [track("v"), track("a")]), peer("me"), peer("a")]))
        #expect(
            changes == [
                .peerJoined(peer("a")), .peerJoined(peer("b")),
                .trackAdded(track("a"), of: peer("b")), .trackAdded(track("v"), of: peer("b")),
                .hlsChanged(HLSPayload(HLSState())),
            ])
        #expect(room.peers.map(\.peerID) == ["a", "b"])
        #expect(room.tracks(of: "b").map(\.trackID) == ["a", "v"])
    }

    @Test mutating func whoOnlyWatchesALargeRoomIsTakenOutOfTheList() {
        _ = room.received(list([peer("a", tracks: [track("x")])]))
        var receded = peer("a")
        receded.realtime = false
        #expect(
            room.received(.peerUpdated(receded)) == [
                .trackRemoved(track("x"), of: peer("a")), .peerLeft(peer("a")),
            ])
        #expect(room.received(.peerUpdated(receded)).isEmpty)
        #expect(room.received(.peerUpdated(peer("a"))) == [.peerJoined(peer("a"))])
    }

    @Test mutating func aSecondListIsTheDifference() {
        _ = room.received(
            list([peer("a", tracks: [track("x")]), peer("b", tracks: [track("v"), track("w")])]))
        let state = HLSState(variants: [HLSVariant(url: "u", state: .started)])
        let changes = room.received(
            list(
                [
                    peer("b", name: "Ben", tracks: [track("v", mute: true), track("y")]),
                    peer("c"),
                ], hls: state))
        #expect(
            changes == [
                .trackRemoved(track("x"), of: peer("a")), .peerLeft(peer("a")),
                .peerUpdated(peer("b", name: "Ben")),
                .trackRemoved(track("w"), of: peer("b", name: "Ben")),
                .trackUpdated(track("v", mute: true), of: peer("b", name: "Ben")),
                .trackAdded(track("y"), of: peer("b", name: "Ben")),
                .peerJoined(peer("c")), .hlsChanged(HLSPayload(state)),
            ])
        #expect(
            room.received(
                list(
                    [
                        peer("b", name: "Ben", tracks: [track("v", mute: true), track("y")]),
                        peer("c"),
                    ], hls: state)
            ).isEmpty)
    }

    @Test mutating func eventsInAnyOrderAreEachTakenOnce() {
        // A track may be announced before its peer.
        #expect(
            room.received(.tracksAdded([track("v")], of: peer("a")))
                == [.peerJoined(peer("a")), .trackAdded(track("v"), of: peer("a"))])
        #expect(room.received(.peerJoined(peer("a"))).isEmpty)
        #expect(room.received(.tracksAdded([track("v")], of: peer("a"))).isEmpty)
        #expect(
            room.received(.tracksUpdated([track("v", mute: true)], of: peer("a")))
                == [.trackUpdated(track("v", mute: true), of: peer("a"))])
        #expect(
            room.received(.tracksRemoved([track("v")], of: peer("a")))
                == [.trackRemoved(track("v", mute: true), of: peer("a"))])
        #expect(room.received(.tracksRemoved([track("v")], of: peer("a"))).isEmpty)
        #expect(room.received(.peerLeft(peer("a"))) == [.peerLeft(peer("a"))])
        #expect(room.received(.peerLeft(peer("a"))).isEmpty)
    }

    @Test mutating func aServerThatListsTooMuchIsNotBelieved() {
        for index in 0...SignallingRoster.peersMaximum {
            _ = room.received(.peerJoined(peer(PeerID("\(index)"))))
        }
        #expect(room.peers.count == SignallingRoster.peersMaximum)
        let tracks = (0...SignallingRoster.tracksMaximum).map { track(TrackID("\($0)")) }
        _ = room.received(.tracksAdded(tracks, of: peer("0")))
        #expect(room.tracks(of: "0").count == SignallingRoster.tracksMaximum)
    }
}
