import MediaKernel
import Pipeline
import Testing

@testable import Bot

@Suite struct SoundSubscriptionsTests {
    private let room: [SourcePeer]

    init() {
        room = [
            SourcePeer(
                id: "ann", name: "Ann", role: "host", joinedAt: 0,
                tracks: [
                    SourceTrack(id: "ann-voice", isVideo: false, isMuted: false),
                    SourceTrack(id: "ann-camera", isVideo: true, isMuted: false),
                ]),
            SourcePeer(
                id: "ben", name: "Ben", role: "guest", joinedAt: 1,
                tracks: [
                    SourceTrack(id: "ben-voice", isVideo: false, isMuted: false)
                ]),
        ]
    }

    @Test func everybodyIsHeardWithoutBeingAskedFor() {
        var wishes = SoundSubscriptions(roles: nil)
        #expect(wishes.roomChanged(room).isEmpty)
    }

    @Test func soundOfOtherRolesIsRefusedOnceAndPicturesNever() {
        var wishes = SoundSubscriptions(roles: ["guest"])
        #expect(wishes.roomChanged(room) == [.init(track: "ann-voice", isSubscribed: false)])
        #expect(wishes.roomChanged(room).isEmpty)
    }

    @Test func aChangeOfRolesAsksForWhatIsHeardAndRefusesWhatIsNot() {
        var wishes = SoundSubscriptions(roles: ["guest"])
        _ = wishes.roomChanged(room)
        #expect(
            wishes.rolesChanged(["host"]) == [
                .init(track: "ann-voice", isSubscribed: true),
                .init(track: "ben-voice", isSubscribed: false),
            ])
        #expect(
            wishes.rolesChanged([]) == [.init(track: "ann-voice", isSubscribed: false)])
        #expect(wishes.rolesChanged(nil).map(\.isSubscribed) == [true, true])
    }

    @Test func aPeerThatGetsAnotherRoleIsHeardOrNotByThat() {
        var wishes = SoundSubscriptions(roles: ["guest"])
        _ = wishes.roomChanged(room)
        var changed = room
        (changed[0].role, changed[1].role) = ("guest", "host")
        #expect(
            wishes.roomChanged(changed) == [
                .init(track: "ann-voice", isSubscribed: true),
                .init(track: "ben-voice", isSubscribed: false),
            ])
    }

    @Test func aTrackThatEndedAndComesAgainIsRefusedAnew() {
        var wishes = SoundSubscriptions(roles: ["guest"])
        _ = wishes.roomChanged(room)
        #expect(wishes.roomChanged([]).isEmpty)
        #expect(wishes.roomChanged(room) == [.init(track: "ann-voice", isSubscribed: false)])
    }

    @Test func whatIsRecordedIsWantedThoughItIsNotHeard() {
        var wishes = SoundSubscriptions(roles: [])
        #expect(
            wishes.roomChanged(room, recorded: ["ann-voice"])
                == [.init(track: "ben-voice", isSubscribed: false)])
        #expect(
            wishes.roomChanged(room) == [.init(track: "ann-voice", isSubscribed: false)])
    }
}
