import MediaKernel
import Testing

@testable import GroupCalls

@Suite struct CallQueryTests {
    private let place = CallPlace(
        createdAt: UnixTime(nanoseconds: 1_760_000_000_123_456_789), id: "r1")

    @Test func aRangeMayBeOpenAtEitherEnd() {
        #expect(OpenRange<Int>().isUnbounded && OpenRange<Int>().contains(7))
        let (from, to, both) = (
            OpenRange(from: 2), OpenRange(to: 5), OpenRange(from: 2, to: 5)
        )
        #expect([1, 2, 5, 6].map(from.contains) == [false, true, true, true])
        #expect([1, 2, 5, 6].map(to.contains) == [true, true, true, false])
        #expect([1, 2, 5, 6].map(both.contains) == [false, true, true, false])
        #expect(!from.isUnbounded && !to.isUnbounded)
        // An empty range matches nothing, and is no error.
        #expect(!OpenRange(from: 5, to: 2).contains(3))
    }

    @Test func roomsThatAreNotOccupiedHaveNoParticipants() {
        let occupied: [RoomID: Int] = ["a": 1, "b": 3, "c": 6]
        var filter = CallFilter()
        #expect(filter.occupation(occupied) == .any)
        filter.participants = OpenRange(from: 3)
        #expect(filter.occupation(occupied) == .only(["b", "c"]))
        filter.participants = OpenRange(to: 2)
        #expect(filter.occupation(occupied) == .allBut(["b", "c"]))
        filter.participants = OpenRange(from: 0, to: 0)
        #expect(filter.occupation(occupied) == .allBut(["a", "b", "c"]))
        filter.participants = OpenRange(from: 4, to: 5)
        #expect(filter.occupation(occupied) == .only([]))
    }

    @Test func aTokenIsAPlace() throws {
        var filter = CallFilter()
        filter.types = [.smallRoomForVideo]
        let token = place.token(for: filter)
        #expect(try CallPlace(token: token, for: filter) == place)
        let isPlain = token.utf8.allSatisfy { $0.isWord }
        #expect(isPlain)
    }

    @Test func aTokenIsGoodOnlyWithTheSameFilters() throws {
        var filter = CallFilter()
        filter.ids = ["a", "b"]
        filter.creators = ["ann", "ben"]
        let token = place.token(for: filter)
        var same = filter
        same.ids = ["b", "a"]
        same.creators = ["ben", "ann"]
        #expect(try CallPlace(token: token, for: same) == place)
        var others = Array(repeating: filter, count: 7)
        others[0].ids = ["a"]
        others[1].types = [.smallRoomForVideo]
        others[2].creators = ["ann,ben"]
        others[3].state = .open
        others[4].createdAt = OpenRange(from: UnixTime(seconds: 1))
        others[5].participants = OpenRange(to: 1)
        others[6].participants = OpenRange(from: 1)
        for other in others {
            #expect(
                callError { _ = try CallPlace(token: token, for: other) } == .foreignToken)
        }
    }

    @Test(arguments: [
        "", "x", "!", String(repeating: "a", count: 300), Base64URL.text(Array("1;2;3".utf8)),
        Base64URL.text(Array("2;1;0;r1".utf8)), Base64URL.text(Array("1;one;0;r1".utf8)),
        Base64URL.text(Array("1;1;0;a b".utf8)), Base64URL.text([0xFF, 0xFE]),
    ])
    func aTokenOfNoListIsRefused(token: String) {
        let error = callError { _ = try CallPlace(token: token, for: CallFilter()) }
        #expect(error?.kind == .invalid && error == .malformedToken)
    }

    @Test func aFilterHasAHundredIdsAtMost() throws {
        var filter = CallFilter()
        filter.ids = (1...100).map { RoomID("r\($0)") }
        filter.creators = (1...100).map { "u\($0)" }
        try filter.check()
        filter.ids.append("one more")
        #expect(
            callError { try filter.check() }
                == .tooLong(field: "room_ids", count: 101, maximum: 100))
        filter.ids = []
        filter.creators.append("one more")
        #expect(callError { try filter.check() }?.kind == .invalid)
    }
}
