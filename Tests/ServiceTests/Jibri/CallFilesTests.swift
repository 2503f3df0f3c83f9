import ChildProcesses
import Foundation
import Jibri
import Logging
import MediaKernel
import Streams
import Synchronization
import Testing
import Workbench

@testable import Service

/// What becomes of a call on the operator's disk.
@Suite(.timeLimit(.minutes(5))) struct CallFilesTests {
    private static let data =
        #"{"file_recording_metadata":{"share":true,"upload_credentials":{"r":7}}}"#

    private func run(
        _ body: @escaping @Sendable (StreamsWorld) async throws -> Void
    ) async throws {
        try await StreamsWorld { CallWorld.admit(&$0) }.run(body)
    }

    /// A script that notes what it was given, and what was there.
    private func script(_ scratch: Scratch, ending: String = "") throws -> String {
        try scratch.program(
            """
            ls "$1" > '\(scratch.path)/seen'
            echo "$1" >> '\(scratch.path)/seen'
            \(ending)
            """, name: "finalize.sh")
    }

    /// Records a call from its start to its files.
    private func recorded(_ calls: CallWorld, isEmpty: Bool = false) async throws -> StreamID {
        var calls = calls
        let bot = try #require(await calls.running(JibriDoubles.call("s/1", data: Self.data)))
        await calls.recorder.end("s/1", slot: 0)
        bot.exit(.finished(reason: "stop"))
        try await calls.finish(bot.job.stream, isEmpty: isEmpty)
        await calls.tick()
        while let news = await calls.next(), news != .closed {}
        return bot.job.stream
    }

    @Test func theScriptHasTheFileAndItsMetadata() async throws {
        try await run { world in
            let outside = try Scratch()
            let script = try script(outside)
            let calls = try CallWorld(world) { $0.finalizeScript = script }
            let files = calls.files
            let work = Task { await files.run() }
            defer { work.cancel() }
            _ = try await recorded(calls)
            try await until { outside.isThere("seen") }
            try await until { await calls.files.isIdle }
            let file = "team.call_2025-10-09-08-53-20.mp4"
            #expect(
                try outside.text("seen")
                    == "metadata.json\n\(file)\n\(calls.scratch.path)/recordings/s_1\n")
            #expect(try calls.scratch.text("recordings/s_1/\(file)") == "movie")
            #expect(
                try calls.scratch.text("recordings/s_1/metadata.json")
                    == #"{"meeting_url":"https://meet.example/team.call","participants":[],"#
                    + #""share":true,"upload_credentials":{"r":7}}"#)
            #expect(calls.scratch.names(in: "recordings/.roomcast").isEmpty)
        }
    }

    @Test func withoutMediaThereIsNothingToFinalize() async throws {
        try await run { world in
            let outside = try Scratch()
            let script = try script(outside)
            let calls = try CallWorld(world) { $0.finalizeScript = script }
            let files = calls.files
            let work = Task { await files.run() }
            defer { work.cancel() }
            _ = try await recorded(calls, isEmpty: true)
            #expect(calls.scratch.names(in: "recordings") == [".roomcast"])
            #expect(calls.scratch.names(in: "recordings/.roomcast").isEmpty)
            #expect(await calls.files.isIdle && !outside.isThere("seen"))
        }
    }

    @Test func aKilledProgramsSuccessorPutsTheFileInPlace() async throws {
        try await run { world in
            let calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s", data: Self.data)))
            _ = try await world.streams.stop(stream: bot.job.stream, stoppedBy: nil)
            bot.exit(.finished(reason: "stop"))
            try await calls.finish(bot.job.stream)
            // What the first one had in memory is gone.
            let outside = try Scratch()
            let script = try script(outside)
            let directory = "\(calls.scratch.path)/recordings"
            let next = try CallWorld(world) {
                $0.recordingsDirectory = directory
                $0.finalizeScript = script
            }
            await next.files.recover()
            await next.files.tick(at: world.clock.instant)
            try await until {
                calls.scratch.names(in: "recordings/s")
                    == ["metadata.json", "team.call_2025-10-09-08-53-20.mp4"]
            }
            try await until { await !next.files.isIdle }
            // Killed again before the script has ended, it runs once more.
            let third = try CallWorld(world) {
                $0.recordingsDirectory = directory
                $0.finalizeScript = script
            }
            await third.files.recover()
            let files = third.files
            let work = Task { await files.run() }
            defer { work.cancel() }
            try await until { await third.files.isIdle }
            #expect(outside.isThere("seen"))
            #expect(calls.scratch.names(in: "recordings/.roomcast").isEmpty)
        }
    }

    @Test func aRecordingWhoseFileCannotBeMadeIsNotForgotten() async throws {
        try await run { world in
            let calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s", data: Self.data)))
            await calls.recorder.end("s", slot: 0)
            bot.exit(.finished(reason: "stop"))
            let stream = bot.job.stream
            for _ in 0..<StreamRules().finishAttemptsMaximum {
                let run = try #require(await world.finishers.next())
                run.exit(.failed(reason: "broken"))
                try await until { await !world.streams.hasFinisher(stream) }
                world.clock.advance(.seconds(60))
                await world.tick()
            }
            try await until { (try? await world.streams.stream(stream))??.status.isFinal == true }
            await calls.tick()
            #expect(await calls.files.isIdle)
            #expect(calls.scratch.names(in: "recordings/.roomcast") == ["\(stream).json"])
            #expect(calls.scratch.isThere("recordings/s"))
            // By the next start the file may have been made.
            try await calls.add(stream)
            let next = try CallWorld(world) {
                $0.recordingsDirectory = "\(calls.scratch.path)/recordings"
            }
            await next.files.recover()
            await next.files.tick(at: world.clock.instant)
            try await until {
                calls.scratch.names(in: "recordings/s")
                    == ["metadata.json", "team.call_2025-10-09-08-53-20.mp4"]
            }
        }
    }

    /// What fails to be put in place, as often as the test says.
    private final class Failures: Sendable {
        private let left: Mutex<Int>
        private let tried = Mutex(0)

        init(_ count: Int) { left = Mutex(count) }

        var attempts: Int { tried.withLock { $0 } }

        var place: CallDelivery.Place {
            { (_, path, _) throws(CallFault) in
                self.tried.withLock { $0 += 1 }
                let fails = self.left.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                guard !fails, FileManager.default.createFile(atPath: path, contents: nil) else {
                    throw CallFault(path, "no space is left")
                }
            }
        }
    }

    @Test func aFileThatCannotBePutInPlaceIsTriedAgainEverLater() async throws {
        try await run { world in
            let failures = Failures(2)
            let calls = try CallWorld(world, place: failures.place)
            _ = try await recorded(calls)
            #expect(failures.attempts == 1)
            #expect(await calls.files.left == ["s/1"])
            #expect(await calls.files.trouble?.contains("no space is left") == true)
            func look(after seconds: Int) async {
                world.clock.advance(.seconds(seconds))
                await calls.tick()
            }
            await look(after: 0)
            await look(after: 9)
            #expect(failures.attempts == 1)
            await look(after: 1)
            try await until { failures.attempts == 2 }
            try await until { await calls.files.trouble?.contains("up to 2 attempts") == true }
            try await until {
                await look(after: 0)
                await look(after: 20)
                return calls.scratch.names(in: "recordings/s_1").count == 2
            }
            #expect(failures.attempts == 3)
            try await until { await calls.files.trouble == nil }
        }
    }

    @Test func aScriptThatFailsRunsAgainWhileTheDirectoryIsThere() async throws {
        try await run { world in
            let outside = try Scratch()
            let path = try outside.program(
                """
                echo "$1" >> '\(outside.path)/seen'
                test "$(wc -l < '\(outside.path)/seen')" = 3
                """, name: "finalize.sh")
            let calls = try CallWorld(world) { $0.finalizeScript = path }
            let files = calls.files
            let work = Task { await files.run() }
            defer { work.cancel() }
            _ = try await recorded(calls)
            func runs() -> Int { (try? outside.text("seen").split(separator: "\n").count) ?? 0 }
            try await until { runs() == 1 }
            try await until {
                await files.trouble?.contains("the finalize script has failed") == true
            }
            #expect(await files.isIdle, "the end of the program does not wait for it")
            await calls.tick()
            world.clock.advance(.seconds(59))
            await calls.tick()
            #expect(await files.isIdle && runs() == 1)
            world.clock.advance(.seconds(1))
            await calls.tick()
            try await until { runs() == 2 }
            try await until { await files.trouble?.contains("up to 2 attempts") == true }
            await calls.tick()
            world.clock.advance(.seconds(120))
            await calls.tick()
            try await until { runs() == 3 }
            try await until { calls.scratch.names(in: "recordings/.roomcast").isEmpty }
            #expect(await files.trouble == nil)
        }
    }

    @Test func aScriptThatHasTakenTheDirectoryAwayIsNotRunAgain() async throws {
        try await run { world in
            let outside = try Scratch()
            let script = try script(outside, ending: "rm -r \"$1\"; exit 1")
            let calls = try CallWorld(world) { $0.finalizeScript = script }
            let files = calls.files
            let work = Task { await files.run() }
            defer { work.cancel() }
            _ = try await recorded(calls)
            try await until { calls.scratch.names(in: "recordings/.roomcast").isEmpty }
            #expect(await files.trouble == nil)
        }
    }

    /// Jicofo has a session recorded again after a failure, while the first part's script is at
    /// work, which may remove its directory.
    @Test func aSecondPartOfASessionHasADirectoryOfItsOwn() async throws {
        try await run { world in
            let outside = try Scratch()
            let path = try outside.program(
                """
                echo "$1" >> '\(outside.path)/seen'
                while [ ! -e '\(outside.path)/go' ]; do sleep 0.02; done
                rm -r "$1"
                """, name: "finalize.sh")
            let calls = try CallWorld(world) { $0.finalizeScript = path }
            let files = calls.files
            let work = Task { await files.run() }
            defer { work.cancel() }
            _ = try await recorded(calls)
            try await until { outside.isThere("seen") }
            _ = try await recorded(calls)
            try await until { (try? outside.text("seen").split(separator: "\n").count) == 2 }
            let directory = "\(calls.scratch.path)/recordings"
            #expect(try outside.text("seen") == "\(directory)/s_1\n\(directory)/s_1_2\n")
            let file = "team.call_2025-10-09-08-53-20.mp4"
            #expect(calls.scratch.names(in: "recordings/s_1_2") == ["metadata.json", file])
            try outside.write("".utf8, to: "go")
            try await until { calls.scratch.names(in: "recordings") == [".roomcast"] }
            try await until { calls.scratch.names(in: "recordings/.roomcast").isEmpty }
        }
    }

    @Test func aPartInProgressHasItsDirectoryToItself() throws {
        let scratch = try Scratch()
        let folders = SessionFolders("\(scratch.path)/recordings")
        #expect(try folders.claim("s") == "s")
        #expect(try folders.claim("s") == "s_2")
        folders.takeBack("s")
        #expect(try folders.claim("s") == "s")
        folders.release("s")
        #expect(try folders.claim("s") == "s", "an empty one is nobody's")
        folders.release("s")
        try scratch.write("".utf8, to: "recordings/s/a.mp4")
        #expect(try folders.claim("s") == "s_3")
    }

    /// An object store removes the server's own file once it has it.
    @Test func theServersOwnFileIsKeptUntilItIsInPlace() async throws {
        try await run { world in
            let failures = Failures(1)
            let calls = try CallWorld(world, place: failures.place)
            #expect(!calls.holds.isSettled, "an earlier program may have left some")
            await calls.files.recover()
            #expect(calls.holds.isSettled && !calls.holds.isHeld("x"))
            let stream = try await recorded(calls)
            #expect(failures.attempts == 1 && calls.holds.isHeld(stream))
            let next = try CallWorld(world) {
                $0.recordingsDirectory = "\(calls.scratch.path)/recordings"
            }
            await next.files.recover()
            #expect(next.holds.isHeld(stream))
            await next.tick()
            try await until { !next.holds.isHeld(stream) }
            #expect(calls.scratch.names(in: "recordings/s_1").count == 2)
        }
    }

    @Test func whoWasThereIsInTheMetadata() async throws {
        try await run { world in
            var calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s")))
            #expect(await calls.next() == .running)
            func user(_ name: String) -> JSONValue {
                .object(["user": .object(["name": .string(name)])])
            }
            await bot.say(.identity(peer: "a", user("Ann")))
            await bot.say(.identity(peer: "b", user("Ben")))
            await calls.tick()
            // So that a killed program's successor has it, too.
            let note = "recordings/.roomcast/\(bot.job.stream).json"
            try await until { (try? calls.scratch.text(note))?.contains("Ben") == true }
            await bot.say(.identity(peer: "a", user("Anna")))
            await calls.recorder.end("s", slot: 0)
            bot.exit(.finished(reason: "stop"))
            try await calls.finish(bot.job.stream)
            await calls.tick()
            #expect(await calls.next() == .closed)
            let text = try calls.scratch.text("recordings/s/metadata.json")
            #expect(
                text.contains(
                    #""participants":[{"user":{"name":"Anna"}},{"user":{"name":"Ben"}}]"#),
                "\(text)")
        }
    }

    /// Members may change their names at any rate, and a note is a file.
    @Test func whoIsThereIsNotNotedAtEachChange() async throws {
        try await run { world in
            let calls = try CallWorld(world)
            let bot = try #require(await calls.running(JibriDoubles.call("s")))
            let (stream, now) = (bot.job.stream, world.clock.instant)
            func isNoted(_ name: String, after seconds: Int) async -> Bool {
                await calls.files.attended([.string(name)], stream, at: now + .seconds(seconds))
                return (try? calls.scratch.text("recordings/.roomcast/\(stream).json"))?
                    .contains("[\"\(name)\"]") == true
            }
            #expect(await isNoted("Ann", after: 0))
            #expect(await !isNoted("Anna", after: 9))
            #expect(await isNoted("Anna", after: 10))
        }
    }

    @Test func thePeopleOfAConferenceHaveALimit() {
        var attendance = StreamAttendance()
        for number in 0..<1500 { attendance.add(.string("\(number)"), of: "\(number)") }
        #expect(attendance.identities.count == 1000)
        attendance.add(.string("new"), of: "7")
        #expect(attendance.identities[7] == "new" && attendance.identities.count == 1000)
        var long = StreamAttendance()
        for number in 0..<10 {
            long.add(.string(String(repeating: "x", count: 100_000)), of: "\(number)")
        }
        #expect(long.identities.count == 5)
    }

    @Test func aFileOnAnotherDiskIsACopy() throws {
        let scratch = try Scratch()
        let delivery = CallDelivery(folders: SessionFolders("\(scratch.path)/recordings"))
        // As long as a name can be.
        let name = String(repeating: "a", count: 251) + ".mp4"
        let note = CallNote(
            session: "s", stream: "x", file: name, meetingURL: "https://m.example/a", more: [:])
        // Nothing outside of memory can be linked to what is in it.
        let source = "/dev/shm/roomcast-\(UUID().uuidString)"
        try Data("movie".utf8).write(to: URL(filePath: source))
        defer { unlink(source) }
        try delivery.deliver(note, into: "s", from: source)
        try delivery.deliver(note, into: "s", from: source)
        #expect(try scratch.text("recordings/s/\(name)") == "movie")
        #expect(scratch.names(in: "recordings/s") == [name, "metadata.json"])
    }

    /// A copy to another disk takes minutes.
    @Test func whileAFileIsPutInPlaceTheOthersGoOn() async throws {
        let change: (inout StreamSettings) -> Void = {
            CallWorld.admit(&$0)
            $0.limits.streams = 2
        }
        try await StreamsWorld(change).run { world in
            let gate = DispatchSemaphore(value: 0)
            let place: CallDelivery.Place = { (_, path, _) throws(CallFault) in
                guard gate.wait(timeout: .now() + 20) == .success else {
                    throw CallFault(path, "nobody else could go on")
                }
                guard FileManager.default.createFile(atPath: path, contents: nil) else {
                    throw CallFault(path, errno)
                }
            }
            var calls = try CallWorld(world, place: place)
            let bot = try #require(await calls.running(JibriDoubles.call("s")))
            #expect(await calls.next() == .running)
            await calls.recorder.end("s", slot: 0)
            bot.exit(.finished(reason: "stop"))
            try await calls.finish(bot.job.stream)
            await calls.tick()
            await calls.tick()
            #expect(await DirectoryCheck("\(calls.scratch.path)/recordings").fault() == nil)
            #expect(await calls.recorder.admit(JibriDoubles.call("t"), slot: 1))
            #expect(calls.scratch.names(in: "recordings") == [".roomcast", "s", "t"])
            #expect(calls.scratch.names(in: "recordings/s").isEmpty)
            gate.signal()
            #expect(await calls.next() == .closed)
            #expect(calls.scratch.names(in: "recordings/s").count == 2)
        }
    }

    // MARK: Notes

    private static let note = CallNote(
        session: "s", stream: "x", file: "a.mp4", meetingURL: "https://m.example/a", more: [:])

    @Test func aNoteIsReadAgain() throws {
        let scratch = try Scratch()
        let ledger = CallLedger(directory: scratch.path)
        defer { withExtendedLifetime(scratch) {} }
        #expect(try ledger.all() == [])
        try ledger.write(Self.note)
        #expect(try ledger.all() == [Self.note])
    }

    /// A note names what is moved where.
    @Test(arguments: ["", "..", "../a.mp4", "/etc/a.mp4", "a/b.mp4"])
    func aNoteLeadsNowhereElse(file: String) throws {
        let scratch = try Scratch()
        let ledger = CallLedger(directory: scratch.path)
        defer { withExtendedLifetime(scratch) {} }
        var note = Self.note
        note.file = file
        try ledger.write(note)
        #expect(try ledger.all() == [nil])
        note = Self.note
        note.directory = file
        try ledger.write(note)
        #expect(try ledger.all() == [nil])
    }

    @Test func aNoteIsOfTheStreamThatItIsNamedAfter() throws {
        let scratch = try Scratch()
        let ledger = CallLedger(directory: scratch.path)
        defer { withExtendedLifetime(scratch) {} }
        try ledger.write(Self.note)
        try scratch.write(try scratch.bytes(".roomcast/x.json"), to: ".roomcast/y.json")
        #expect(try ledger.all() == [Self.note, nil])
    }

    @Test(arguments: [0o775, 0o757, 0o1777])
    func notesThatOthersMayHaveWrittenAreNotBelieved(mode: Int) throws {
        let scratch = try Scratch()
        let ledger = CallLedger(directory: scratch.path)
        defer { withExtendedLifetime(scratch) {} }
        try ledger.write(Self.note)
        chmod("\(scratch.path)/.roomcast", mode_t(mode))
        #expect(throws: CallFault.notOurs("\(scratch.path)/.roomcast")) { try ledger.all() }
        #expect(throws: CallFault.notOurs("\(scratch.path)/.roomcast")) {
            try ledger.write(Self.note)
        }
        chmod("\(scratch.path)/.roomcast", 0o755)
        #expect(try ledger.all() == [Self.note])
    }

    @Test func notesElsewhereAreNotBelieved() throws {
        let (scratch, elsewhere) = (try Scratch(), try Scratch())
        let ledger = CallLedger(directory: scratch.path)
        defer { withExtendedLifetime(scratch) {} }
        symlink(elsewhere.path, "\(scratch.path)/.roomcast")
        #expect(throws: CallFault.notOurs("\(scratch.path)/.roomcast")) { try ledger.all() }
        #expect(throws: CallFault.notOurs("\(scratch.path)/.roomcast")) {
            try ledger.write(Self.note)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func notesOfAnotherUserAreNotBelieved() throws {
        let scratch = try Scratch()
        let ledger = CallLedger(directory: scratch.path)
        defer { withExtendedLifetime(scratch) {} }
        try ledger.write(Self.note)
        chown("\(scratch.path)/.roomcast", 65534, 65534)
        #expect(throws: CallFault.notOurs("\(scratch.path)/.roomcast")) { try ledger.all() }
    }

    // MARK: The script

    @Test(arguments: [("exit 0", true), ("exit 3", false), ("kill -9 $$", false)])
    func theEndOfAScriptIsKnown(ending: String, isGood: Bool) async throws {
        let scratch = try Scratch()
        let path = try script(scratch, ending: ending)
        let script = FinalizeScript(path: path, logger: JibriDoubles.logger)
        #expect(await script.run(scratch.path) == isGood)
    }

    @Test func aScriptThatHangsIsEnded() async throws {
        let scratch = try Scratch()
        let path = try script(scratch, ending: "exec sleep 60")
        let script = FinalizeScript(
            path: path, logger: JibriDoubles.logger, timeout: .milliseconds(50))
        #expect(await !script.run(scratch.path))
    }

    @Test func aScriptIsEndedWithWhatItHasStarted() async throws {
        let scratch = try Scratch()
        let path = try script(
            scratch,
            ending: """
                sleep 600 &
                echo $! > '\(scratch.path)/id' && mv '\(scratch.path)/id' '\(scratch.path)/child'
                wait
                """)
        let script = FinalizeScript(path: path, logger: JibriDoubles.logger)
        let work = Task { await script.run(scratch.path) }
        try await until { scratch.isThere("child") }
        let child = try scratch.text("child").filter(\.isNumber)
        defer { if let id = pid_t(child) { kill(id, SIGKILL) } }
        work.cancel()
        #expect(await !work.value)
        // Empty for one that waits to be reaped.
        try await until {
            FileManager.default.contents(atPath: "/proc/\(child)/cmdline")?.isEmpty ?? true
        }
    }

    /// The script's own end says nothing of what it has started.
    @Test func whatDoesNotWantToEndIsKilled() async throws {
        let scratch = try Scratch()
        let path = try script(
            scratch,
            ending: """
                (trap '' TERM; echo > '\(scratch.path)/deaf'; exec sleep 600) &
                echo $! > '\(scratch.path)/id'
                while [ ! -e '\(scratch.path)/deaf' ]; do sleep 0.02; done
                mv '\(scratch.path)/id' '\(scratch.path)/child'
                wait
                """)
        let script = FinalizeScript(
            path: path, logger: JibriDoubles.logger, grace: .milliseconds(100))
        let work = Task { await script.run(scratch.path) }
        try await until { scratch.isThere("child") }
        let child = try scratch.text("child").filter(\.isNumber)
        defer { if let id = pid_t(child) { kill(id, SIGKILL) } }
        work.cancel()
        #expect(await !work.value)
        try await until(within: .seconds(5)) {
            FileManager.default.contents(atPath: "/proc/\(child)/cmdline")?.isEmpty ?? true
        }
    }

    @Test func aScriptThatTakesLongIsLogged() async throws {
        let scratch = try Scratch()
        let path = try script(scratch, ending: "exec sleep 600")
        let lines = LogLines()
        let script = FinalizeScript(
            path: path, logger: Logger(label: "test") { _ in lines }, patience: .milliseconds(20))
        let work = Task { await script.run(scratch.path) }
        try await until { lines.all.contains { $0.contains("still runs") } }
        work.cancel()
        _ = await work.value
    }

    @Test func aScriptThatIsNotThereDoesNoHarm() async throws {
        let script = FinalizeScript(path: "/nowhere/finalize.sh", logger: JibriDoubles.logger)
        #expect(await !script.run("/tmp"))
    }
}
