import ChildProcesses
import Foundation
import Glibc
import HundredMSTerms
import Logging
import MediaKernel
import Recording
import Rooms
import Streams
import Testing
import Workbench

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct ChatRecorderTests {
    private let recorded = LiveStreamRequest(
        recording: RecordingOptions(hlsVOD: true, singleFilePerLayer: true))

    /// A room in which Ann speaks.
    private struct Talk {
        var room: Room

        init() throws {
            room = Room(id: "demo", name: "demo", policy: .standard, seed: 1)
            for (peer, name) in [("a", "Ann"), ("b", "Ben")] as [(PeerID, String)] {
                try room.joinRequested(
                    JoinRequest(peer: peer, userID: "user-\(peer)", role: "host", name: name),
                    at: .zero)
                try room.joinCompleted(peer, wall: UnixTime(milliseconds: 0))
            }
        }

        mutating func say(
            _ json: String, to audience: Audience = .everybody, type: String = "chat"
        ) throws -> Message {
            try room.messageSent(
                by: "a", to: audience, type: type, body: OpaqueJSON(text: json), at: .zero,
                wall: UnixTime(milliseconds: 1_760_000_001_002))
        }
    }

    @Test func whatTheOperatorSaysIsKeptWithoutASender() throws {
        var talk = try Talk()
        let record = try #require(
            ChatRecord(
                try talk.room.operatorSpoke(
                    to: .roles(["host"]), type: "notice", body: OpaqueJSON(text: #""soon""#),
                    at: .zero, wall: UnixTime(milliseconds: 1_760_000_001_002))))
        #expect(record.text == "soon" && record.type == "notice" && record.roles == ["host"])
        #expect([record.senderID, record.senderName, record.senderUserID] == ["", "", ""])
    }

    private func lines(_ world: StreamsWorld, _ id: StreamID) async throws -> [String] {
        #expect(await world.chat.caughtUp(id, within: .seconds(60)))
        return try lines(in: "\(world.directory)/demo/\(id)")
    }

    private func lines(in directory: String) throws -> [String] {
        guard let bytes = try ChatFile(in: directory).read() else { return [] }
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
                try await lines(world, id) == [
                    "SenderPeerID,SenderName,SenderUserID,Roles,SentAt,Type,Message",
                    "a,Ann,user-a,[],\(date),chat,\"hello, \"\"all\"\"\"",
                    "a,Ann,user-a,[],\(date),poll,\"{\"\"poll\"\":1}\"",
                    "a,Ann,user-a,\"[\"\"host\"\"]\",\(date),chat,for hosts", "",
                ])
        }
    }

    @Test func whatABotHearsInItsConferenceIsKept() async throws {
        try await StreamsWorld().run { world in
            let (id, bot) = try await start(world)
            func hear(_ text: String) async {
                await bot.say(
                    .message(.init(peerID: "a", peer: "Ann", type: "chat", text: text)))
            }
            await hear("too early")
            await bot.say(.running(firstSegmentMilliseconds: 1))
            await hear("=kept")
            _ = try await world.streams.setRecording(stream: id, isPaused: true)
            await hear("in the pause")
            _ = try await world.streams.setRecording(stream: id, isPaused: false)
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            await hear("too late")
            let rows = try await lines(world, id)
            try #require(rows.count == 3)
            #expect(rows[1].hasPrefix("a,Ann,,[],") && rows[1].hasSuffix(",chat,'=kept"))
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
            // A bot that replaces a dead one makes no difference.
            let next = try #require(try await world.replace(bot, .failed(reason: "crashed")))
            await next.say(.running(firstSegmentMilliseconds: 1))
            world.chat.said(try talk.say(#""still""#), in: "demo")
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            world.chat.said(try talk.say(#""stopped""#), in: "demo")
            let texts = try await lines(world, id).dropFirst().dropLast().map {
                $0.split(separator: ",").last ?? ""
            }
            #expect(texts == ["recorded", "still"])
        }
    }

    @Test func whatIsDeletedIsErasedAlsoWhileTheRecordingIsPaused() async throws {
        try await StreamsWorld().run { world in
            var talk = try Talk()
            let (id, bot) = try await start(world)
            await bot.say(.running(firstSegmentMilliseconds: 1))
            let messages = try ["one", "two", "three"].map { try talk.say("\"\($0)\"") }
            for message in messages { world.chat.said(message, in: "demo") }
            world.chat.unsaid([messages[1].id, "never said"], in: "demo")
            world.chat.unsaid([messages[0].id], in: "other")
            func texts() async throws -> [Substring] {
                try await lines(world, id).dropFirst().dropLast().map {
                    $0.split(separator: ",").last ?? ""
                }
            }
            #expect(try await texts() == ["one", "three"])
            _ = try await world.streams.setRecording(stream: id, isPaused: true)
            world.chat.unsaid([messages[2].id, messages[1].id], in: "demo")
            #expect(try await texts() == ["one"])
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
            #expect(try await lines(world, id).isEmpty)
        }
    }

    @Test func aDiskThatHangsHoldsUpNobody() async throws {
        let scratch = try Scratch()
        for name in ["hung", "well"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(name)", withIntermediateDirectories: true)
        }
        let disk = try FullPipe("\(scratch.path)/hung/\(ChatFile.name)")
        let chat = ChatRecorder(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        chat.begin("hung", in: "demo", directory: "\(scratch.path)/hung", isPaused: false)
        chat.begin("well", in: "demo", directory: "\(scratch.path)/well", isPaused: false)
        var talk = try Talk()
        let body = String(repeating: "x", count: 8000)
        let message = try talk.say("\"\(body)\"")
        let last = try talk.say(#""last""#)
        // More than is kept for a disk, on a thread that may hang with it.
        let count = 2 * ChatWriter.waitingBytesMaximum / body.utf8.count
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let path = "\(scratch.path)/well/\(ChatFile.name)"
        Thread.detachNewThread {
            func size() -> Int {
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                return attributes?[.size] as? Int ?? 0
            }
            var before = 0
            for _ in 0..<count {
                chat.said(message, in: "demo")
                // The healthy disk must keep up.
                while size() == before { usleep(100) }
                before = size()
            }
            end.yield()
        }
        let isOver = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await ends.first { _ in true } != nil }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        #expect(isOver)
        // A file may appear to grow before the line is complete.
        #expect(await chat.caughtUp("well", within: .seconds(60)))
        #expect(try lines(in: "\(scratch.path)/well").count == count + 2)
        #expect(await !chat.caughtUp("hung", within: .milliseconds(100)))
        // It works again: the waiting messages are written, the rest was too much.
        var written = ""
        while await !chat.caughtUp("hung", within: .milliseconds(1)) { written += disk.read() }
        chat.said(last, in: "demo")
        #expect(await chat.caughtUp("hung", within: .seconds(60)))
        written += disk.read()
        let kept = written.matches(of: /,x+/).count
        #expect((count / 4...count / 2).contains(kept))
        #expect(written.hasSuffix(",last\r\n"))
        #expect(scratch.names(in: "hung") == [ChatFile.name])
    }

    @Test func aFinisherFindsTheWholeChat() async throws {
        try await StreamsWorld().run { world in
            var talk = try Talk()
            let (id, bot) = try await start(world)
            await bot.say(.running(firstSegmentMilliseconds: 1))
            let message = try talk.say("\"\(String(repeating: "x", count: 8000))\"")
            for _ in 0..<100 { world.chat.said(message, in: "demo") }
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            try await world.end(bot, .finished(reason: "asked to"))
            _ = try #require(await world.finishers.next())
            #expect(try lines(in: "\(world.directory)/demo/\(id)").count == 102)
        }
    }
}

/// A file on a disk that hangs: a pipe that is full until somebody reads it.
final class FullPipe: Sendable {
    private let file: Int32

    init(_ path: String) throws {
        guard mkfifo(path, 0o600) == 0 else { throw Failure(code: errno) }
        file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Failure(code: errno) }
        while write(file, Array(repeating: UInt8(ascii: "."), count: 4096), 4096) > 0 {}
    }

    deinit { close(file) }

    struct Failure: Error { let code: Int32 }

    /// Its contents.
    func read() -> String {
        var bytes: [UInt8] = []
        var buffer: [UInt8] = Array(repeating: 0, count: 65536)
        while case let count = Glibc.read(file, &buffer, buffer.count), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
