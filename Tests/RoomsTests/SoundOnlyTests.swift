import MediaKernel
import Testing

@testable import Rooms

/// Rooms that take no pictures.
@Suite struct SoundOnlyTests {
    var fixture = RoomFixture(policy: Policy.standard.soundOnly)

    @Test mutating func picturesAreLeftOutInWords() throws {
        try fixture.join("a")
        try fixture.join("b")
        let screen = Track(id: "s", streamID: "x", kind: .video, source: "screen")
        let reasons = try fixture.leftOut([.microphone("m"), .camera("c"), screen], by: "a")
        #expect(reasons == [.soundOnly(kind: "video"), .soundOnly(kind: "screen")])
        #expect(reasons.first?.kind == .forbidden)
        #expect(fixture.room.subscriptions(of: "b").map(\.id) == ["m"])
    }

    @Test mutating func aRoleThatMayPublishNothingHearsThat() throws {
        try fixture.join("v", role: "viewer")
        let reasons = try fixture.leftOut([.microphone("m"), .camera("c")], by: "v")
        #expect(
            reasons == [.mayNotPublish(kind: "audio", role: "viewer"), .soundOnly(kind: "video")])
    }

    @Test func noRoleOffersPictures() {
        let policy = Policy.standard.soundOnly
        #expect(policy.isSoundOnly && !Policy.standard.isSoundOnly)
        #expect(policy.role("host")?.publishParams.allowed == [.audio])
        #expect(policy.role("viewer")?.publishParams.allowed == [])
        #expect(policy.roles.map(\.name) == Policy.standard.roles.map(\.name))
    }
}
