import MediaKernel
import Stage
import Testing

@testable import Pipeline

@Suite struct RosterTests {
    private func video(
        _ id: TrackID, _ source: TrackSource = .regular, isMuted: Bool = false
    ) -> SourceTrack {
        SourceTrack(id: id, isVideo: true, source: source, isMuted: isMuted)
    }

    private func peer(_ name: String, _ tracks: [SourceTrack]) -> SourcePeer {
        SourcePeer(id: PeerID(name), name: name, joinedAt: 1, tracks: tracks)
    }

    /// The room lists a peer's tracks by their ids, which are random.
    @Test(arguments: [TrackSource.regular, .other])
    func theOldestCameraThatIsOnIsShownForAsLongAsItIs(source: TrackSource) {
        var roster = Roster()
        let rows: [(tracks: [(id: TrackID, isMuted: Bool)], shown: TrackID)] = [
            ([("m", false)], "m"), ([("a", false), ("m", false)], "m"),
            ([("a", false), ("m", true)], "a"), ([("a", false), ("m", false)], "a"),
            ([("a", true), ("m", true), ("z", false)], "z"),
            ([("a", true), ("m", true), ("z", true)], "z"),
            ([("a", false), ("m", false), ("z", true)], "m"), ([("a", true), ("z", true)], "a"),
        ]
        for (number, row) in rows.enumerated() {
            roster.show([peer("ann", row.tracks.map { video($0.id, source, isMuted: $0.isMuted) })])
            #expect(roster.participants.map(\.track) == [row.shown], "row \(number)")
        }
    }

    @Test func aPresentationTakesPartWhileItHasAPicture() {
        var roster = Roster()
        roster.show([peer("ann", [video("camera"), video("screen", .presentation)])])
        func look(_ pictures: Set<TrackID>) -> Bool {
            roster.lookForPictures { pictures.contains($0) }
        }
        let rows: [(pictures: Set<TrackID>, isNews: Bool)] = [
            ([], false), (["camera"], false), (["screen"], true), (["screen"], false), ([], true),
        ]
        for row in rows {
            let isNews = look(row.pictures)
            let isSeen = row.pictures.contains("screen")
            let seen: [TrackID?] = isSeen ? ["camera", "screen"] : ["camera"]
            #expect(isNews == row.isNews)
            #expect(roster.participants.map(\.track) == seen)
            #expect(roster.awaited.map(\.track).isEmpty == isSeen)
        }
    }

    /// Regardless of its owner, and of how often its pictures fail to arrive.
    @Test func presentationsCountInTheOrderOfTheirFirstPictures() {
        var roster = Roster()
        let screens = ["a", "b", "c"].map { video(TrackID($0), .presentation) }
        roster.show([peer("ann", [screens[1]]), peer("ben", [screens[0], screens[2]])])
        func order() -> [TrackID?] {
            (roster.participants + roster.awaited).sorted { $0.startedOrder < $1.startedOrder }
                .map(\.track)
        }
        #expect(order() == ["b", "a", "c"])
        _ = roster.lookForPictures { $0 == "c" }
        #expect(order() == ["c", "b", "a"])
        _ = roster.lookForPictures { $0 == "a" }
        #expect(order() == ["c", "a", "b"])
        _ = roster.lookForPictures { _ in true }
        #expect(order() == ["c", "a", "b"])
        // It is shared again.
        roster.show([peer("ann", [screens[1]]), peer("ben", [screens[0]])])
        roster.show([peer("ann", [screens[1]]), peer("ben", [screens[0], screens[2]])])
        _ = roster.lookForPictures { _ in true }
        #expect(order() == ["a", "b", "c"])
    }

    @Test func whoOnlyLooksTakesNoPart() {
        var roster = Roster()
        roster.show([peer("ann", []), peer("ben", [video("screen", .presentation)])])
        #expect(roster.participants.isEmpty)
    }
}
