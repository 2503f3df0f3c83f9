import Jibri
import MediaKernel
import PeerConnection
import RemoteRoom
import Testing

@testable import Jitsi

/// When a conference in which nothing happens is over.
@Suite struct AttendanceTests {
    private static let muted = CallWorld.member(
        "0000000a", "Ann", #"{"0000000a-a0":{"muted":true},"0000000a-v0":{"muted":true}}"#)
    private static let caller = CallWorld.presence(
        "0000000c",
        "<features><feature var='http://jitsi.org/protocol/jigasi'/></features>")

    /// Looks as often as a recorder does.
    private func look(_ world: inout CallWorld, for duration: Duration, hasMedia: Bool = false) {
        let end = world.now + duration
        while world.now < end, world.end == nil {
            world.pass(CallWatch.interval)
            world.call.looked(hasMedia: hasMedia, at: world.now)
            world.drain()
        }
    }

    @Test func aConferenceThatAllHaveLeftIsOver() throws {
        var world = try CallWorld.connected(timeouts: CallTimeouts())
        look(&world, for: .seconds(300), hasMedia: true)
        #expect(world.end == nil)
        try world.receive(CallWorld.presence("0000000a", type: "unavailable"))
        look(&world, for: .seconds(45))
        #expect(world.end == nil, "it was seen empty 30 s ago at most")
        look(&world, for: .seconds(15))
        #expect(world.end == .roomEnded(reason: "nobody is there"))
    }

    @Test func othersMayBeSilentForLonger() throws {
        var world = try CallWorld.connected([Self.muted], timeouts: CallTimeouts())
        look(&world, for: .seconds(600))
        #expect(world.end == nil)
        look(&world, for: .seconds(30))
        #expect(world.end == .roomEnded(reason: "everybody is muted"))
    }

    @Test func whoIsNotMutedIsToBeHeard() throws {
        var world = try CallWorld.connected(timeouts: CallTimeouts())
        look(&world, for: .seconds(180))
        #expect(world.end == nil)
        look(&world, for: .seconds(30))
        #expect(world.end == .silent("no media came from the conference"))
    }

    @Test func aLostConnectionIsNoSilence() throws {
        var world = try CallWorld.connected(timeouts: CallTimeouts())
        look(&world, for: .seconds(60), hasMedia: true)
        world.change(.disconnected)
        look(&world, for: .seconds(60), hasMedia: true)
        #expect(
            world.end
                == .disconnected("the connection to the conference's bridge was lost for too long"))
    }

    /// As in Jibri's list of participants.
    @Test func whoMembersAreIsKnown() throws {
        let identity =
            "<identity><user><id>7</id><name>Anna</name><avatar>https://a/7</avatar>"
            + "<email>x</email></user><group>staff</group></identity>"
        let ann = CallWorld.presence("0000000a", "<nick>Ann</nick>\(identity)")
        let ben = CallWorld.presence("0000000b", "<nick>Ben</nick>")
        let cleo = CallWorld.presence(
            "0000000c", "<identity><user><name>Cleo</name></user></identity>")
        let world = try CallWorld.inside([ann, ben, cleo])
        let user: [String: JSONValue] = ["id": "7", "name": "Ann", "avatar": "https://a/7"]
        #expect(
            world.call.roster.peers(world.call.book).map(\.identity) == [
                .object(["user": .object(user), "group": "staff"]), nil,
                .object(["user": .object(["name": "Cleo"])]),
            ])
    }

    @Test func whoCallsByTelephoneIsNoneOfTheMuted() throws {
        var world = try CallWorld.connected([Self.muted, Self.caller], timeouts: CallTimeouts())
        let counted = world.call.roster.attendance(world.call.book)
        #expect(counted == (participants: 2, muted: 1, callers: 1))
        look(&world, for: .seconds(180))
        #expect(world.end == nil)
    }

    @Test func whoIsOnlySeenIsMutedForARecordingOfSound() throws {
        let shown = #"{"0000000a-a0":{"muted":true},"0000000a-v0":{"muted":false}}"#
        let world = try CallWorld.connected([CallWorld.member("0000000a", "Ann", shown)])
        let (roster, book) = (world.call.roster, world.call.book)
        #expect(roster.attendance(book).muted == 0)
        #expect(roster.attendance(book, withVideo: false).muted == 1)
    }

    @Test func withoutRulesAConferenceGoesOn() throws {
        var world = try CallWorld.connected([])
        look(&world, for: .seconds(3600))
        #expect(world.end == nil)
    }
}
