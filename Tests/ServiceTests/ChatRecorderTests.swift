import ControlAPI
import Foundation
import Logging
import MediaKernel
import Recording
import Rooms
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(1))) struct ChatRecorderTests {
    private let recorded = LiveStreamRequest(
        recording: LiveStreamRecording(hlsVOD: true, singleFilePerLayer: true))

    /// A room in which Ann speaks.
    private struct Talk {
        var room: Room

        init() throws {
            room = Room(id: "demo", name: "demo", policy: .standard, seed: 1)
            for (peer, name) in [("a", "Ann"), ("b", "Ben")] as [(PeerID, String)] {
                try room.joinRequested(
                    JoinRequest(peer: peer, userID: "user-\(peer)", role: "host", name: name),
                    at: .zero)
                try room.joinCompleted(peer, wall: WallTime(milliseconds: 0))
            }
        }

        mutating func say(
            _ json: String, to audience: Audience = .everybody, type: String = "chat"
        ) throws -> Message {
            try room.messageSent(
                by: "a", to: audience, type: type, body: OpaqueJSON(text: json), at: .zero,
                wall: WallTime(milliseconds: 1_760_000_001_002))
        }
    }

    @Test func whatTheOperatorSaysIsKeptWithoutASender() throws {
        var talk = try Talk()
        let record = try #require(
            ChatRecord(
                try talk.room.operatorSpoke(
                    to: .roles(["host"]), type: "notice", body: OpaqueJSON(text: #""soon""#),
                    at: .zero, wall: WallTime(milliseconds: 1_760_000_001_002))))
        #expect(record.text == "soon" && record.type == "notice" && record.roles == ["host"])
        #expect([record.senderID, record.senderName, record.senderUserID] == ["", "", ""])
    }

    private func lines(_ world: StreamsWorld, _ id: StreamID) throws -> [String] {
        let file = ChatFile(in: "\(world.directory)/demo/\(id)")
        guard let bytes = try file.read() else { return [] }
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    private func start(_ world: StreamsWorld) async throws -> (StreamID, BotDouble) {
        let id = try await world.streams.start(room: "demo", recorded, startedBy: nil)[0].id
        return (id, try #require(await world.launcher.next()))
    }

    @Test func whatIsSaidToAllOrToRolesIsKeptAndWhatIsSaidToOneIsNot() async throws {
        try await StreamsWorld().run { world in
            var talk = try Talk()
            let (id, bot) = try await start(world)
            await bot.say(.running(firstSegmentMilliseconds: 1))
            for message in [
                try talk.say(#""hello, \"all\"""#), try talk.say(#"{"poll":1}"#, type: "poll"),
                try talk.say(#""for hosts""#, to: .roles(["host"])),
                try talk.say(#""for Ben""#, to: .peer("b")),
            ] { world.chat.said(message, in: "demo") }
            world.chat.said(try talk.say(#""elsewhere""#), in: "other")
            let date = "2025-10-09T08:53:21.002Z"
            #expect(
                try lines(world, id) == [
                    "SenderPeerID,SenderName,SenderUserID,Roles,SentAt,Type,Message",
                    "a,Ann,user-a,[],\(date),chat,\"hello, \"\"all\"\"\"",
                    "a,Ann,user-a,[],\(date),poll,\"{\"\"poll\"\":1}\"",
                    "a,Ann,user-a,\"[\"\"host\"\"]\",\(date),chat,for hosts", "",
                ])
        }
    }

    @Test func chatIsKeptFromTheFirstSegmentToTheStopAndNotWhilePaused() async throws {
        try await StreamsWorld().run { world in
            var talk = try Talk()
            let (id, bot) = try await start(world)
            world.chat.said(try talk.say(#""starting""#), in: "demo")
            _ = try await world.streams.setRecording(stream: id, isPaused: true)
            await bot.say(.running(firstSegmentMilliseconds: 1))
            world.chat.said(try talk.say(#""paused""#), in: "demo")
            _ = try await world.streams.setRecording(stream: id, isPaused: false)
            world.chat.said(try talk.say(#""recorded""#), in: "demo")
            // Somebody who takes a dead bot's place changes nothing.
            let next = try #require(await world.replace(bot, .failed(reason: "crashed")))
            await next.say(.running(firstSegmentMilliseconds: 1))
            world.chat.said(try talk.say(#""still""#), in: "demo")
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            world.chat.said(try talk.say(#""stopped""#), in: "demo")
            let texts = try lines(world, id).dropFirst().dropLast().map {
                $0.split(separator: ",").last ?? ""
            }
            #expect(texts == ["recorded", "still"])
        }
    }

    @Test func theChatOfAStreamThatIsNotRecordedIsNotKept() async throws {
        try await StreamsWorld().run { world in
            var talk = try Talk()
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            world.chat.said(try talk.say(#""hello""#), in: "demo")
            #expect(try lines(world, id).isEmpty)
        }
    }
}
