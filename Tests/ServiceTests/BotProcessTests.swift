import ChildProcesses
import Foundation
import Glibc
import Logging
import MediaKernel
import Streams
import Subprocess
import Synchronization
import Testing
import Workbench

@testable import ControlAPI
@testable import Service

@Suite(.timeLimit(.minutes(5))) struct BotProcessTests {
    /// Runs a shell script in place of the program and collects its reports.
    private func run(
        _ script: String, signals: [BotSignal] = []
    ) async throws -> (exit: BotExit, reports: [BotReport]) {
        let scratch = try Scratch()
        return await run(executable: try scratch.program(script), signals: signals)
    }

    private func run(
        executable: String, signals: [BotSignal], log: LogRing? = nil
    ) async -> (exit: BotExit, reports: [BotReport]) {
        let launcher = BotProcess(
            executable: executable, user: nil,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, log: log)
        let (stream, continuation) = AsyncStream.makeStream(of: BotSignal.self)
        let reports = Mutex<[BotReport]>([])
        let job = BotJob(
            stream: "s1", room: "demo", endpoint: "http://h:1", token: "secret-token",
            outputDirectory: "/out", configurationFile: "/out/.bot.json")
        let exit = await launcher.run(job, signals: stream) { report in
            reports.withLock { $0.append(report) }
            // Sent only once it is up, or the signal would reach a shell that does not trap it yet.
            if report == .joined { for signal in signals { continuation.yield(signal) } }
        }
        return (exit, reports.withLock { $0 })
    }

    @Test func reportsAreReadLineByLine() async throws {
        let result = try await run(
            #"""
            echo '{"event":"joined"}'
            echo 'not a report'
            echo '{"event":"running","first_segment_ms":2345}'
            echo '{"event":"tiles","tiles":[{"peer":"Ann","x":0,"y":0,"width":640,"height":720}]}'
            echo '{"event":"segment","layer":0}'
            echo '{"event":"from the future"}'
            echo '{"event":"warning","message":"slow"}'
            echo '{"event":"reduction","frame_rate":15,"layers_thinned":1}'
            echo '{"event":"frame_rate","frame_rate":0.5}'
            echo '{"event":"stopped","reason":"room ended","segments":4,"duration":8.0,"cpu_seconds":1.5,"rss_mb":120.5}'
            """#)
        #expect(result.exit == .finished(reason: "room ended"))
        let tile = BotReport.Tile(peer: "Ann", x: 0, y: 0, width: 640, height: 720)
        #expect(
            result.reports == [
                .joined, .running(firstSegmentMilliseconds: 2345), .tiles([tile]),
                .segment(layer: 0, index: 0, bytes: 0),
                .warning("slow"), .reduction(frameRate: 15, layersThinned: 1, videosLeftOut: 0),
                .frameRate(0.5),
                .stopped(
                    reason: "room ended",
                    .init(segments: 4, duration: 8, cpuSeconds: 1.5, residentMegabytes: 120.5)),
            ])
    }

    @Test func whatItLogsIsAmongTheServersLines() async throws {
        let scratch = try Scratch()
        let ring = LogRing()
        let program = try scratch.program(
            #"""
            log() { printf '{"event":"log","line":%s}\n' "$1"; }
            log '{"logger":"x","level":"notice","message":"hello","fields":[{"name":"stream","value":"s2"},{"name":"a","value":"b"}]}'
            log '{"logger":"x","level":"loud","message":"no","fields":[]}'
            log '{"level":"info"}'
            echo '{"event":"joined"}'
            """#)
        let result = await run(executable: program, signals: [], log: ring)
        #expect(result.reports == [.joined])
        let line = try #require(ring.lines(LogRing.Query()).lines.last)
        #expect(ring.lines(LogRing.Query()).last == 1)
        #expect(line.logger == "roomcast.bot" && line.level == .notice && line.message == "hello")
        // The stream is the one that it was started for.
        #expect(
            line.fields.map { "\($0.name)=\($0.value)" } == ["room=demo", "stream=s1", "a=b"])
    }

    @Test func aBotThatLogsWithoutEndLeavesTheOthersLines() {
        let ring = LogRing()
        let now = Mutex(Instant(nanoseconds: 0))
        let log = BotLog(
            ring,
            of: BotJob(
                stream: "s1", room: "demo", endpoint: "", token: "", outputDirectory: "",
                configurationFile: "")
        ) { (now.withLock { $0 }, UnixTime(seconds: 1)) }
        let line = BotReport.LogLine(logger: "", level: "info", message: "again", fields: [])
        for _ in 0..<10_000 { log.add(line) }
        #expect(ring.lines(LogRing.Query()).last == LogAllowance.burst)
        now.withLock { $0 = $0 + .seconds(1) }
        log.add(line)
        let last = ring.lines(LogRing.Query()).lines.last
        #expect(last?.fields.last.map { "\($0.name)=\($0.value)" } == "lines_left_out=9800")
    }

    /// JSON leaves every line break except LF unchanged.
    @Test func aNameWithALineBreakIsNoEndOfALine() async throws {
        let name = "Ann\u{2028}Lee\u{2029}of\u{85}Kent"
        let result = try await run(
            #"""
            echo '{"event":"tiles","tiles":[{"peer":"\#(name)","x":0,"y":0,"width":6,"height":7}]}'
            """#)
        #expect(
            result.reports == [
                .tiles([BotReport.Tile(peer: name, x: 0, y: 0, width: 6, height: 7)])
            ])
    }

    @Test func aBotIsAskedToStopOnItsStandardInput() async throws {
        let result = try await run(
            #"""
            echo '{"event":"joined"}'
            read line
            echo "{\"event\":\"stopped\",\"reason\":\"told to $line\"}"
            """#, signals: [.stop])
        #expect(result.exit == .finished(reason: "told to stop"))
    }

    @Test func aBotCanBeTerminatedAndKilled() async throws {
        let terminated = try await run(
            #"""
            trap 'echo "{\"event\":\"stopped\",\"reason\":\"SIGTERM\"}"; exit 0' TERM
            echo '{"event":"joined"}'
            # A signal just before a read would be looked at behind it only.
            while :; do sleep 0.02; done
            """#, signals: [.terminate])
        #expect(terminated.exit == .finished(reason: "SIGTERM"))
        let killed = try await run(
            "trap '' TERM\necho '{\"event\":\"joined\"}'\nread line", signals: [.kill])
        #expect(killed.exit == .failed(reason: "", .signal(9)))
    }

    @Test func aBotThatReadsNoOrdersCanBeKilled() async throws {
        // As in the server: waiting data is written to a process that has ended.
        signal(SIGPIPE, SIG_IGN)
        let clock = ContinuousClock()
        let beginning = clock.now
        // More than a pipe can hold.
        let order = BotSignal.order(.roles([String(repeating: "x", count: 4096)]))
        let result = try await run(
            #"""
            echo '{"event":"joined"}'
            exec sleep 60
            """#, signals: Array(repeating: order, count: 200) + [.kill])
        #expect(result.exit == .failed(reason: "", .signal(9)))
        #expect(beginning.duration(to: clock.now) < .seconds(30))
    }

    @Test func aBotThatCrashesWasNotKilled() async throws {
        let terminated = try await run("kill -TERM $$")
        #expect(terminated.exit == .failed(reason: "", .signal(15)))
        let crashed = try await run("ulimit -c 0\nkill -SEGV $$")
        #expect(crashed.exit == .failed(reason: "", .signal(11)))
    }

    @Test func theTokenIsInTheEnvironmentAndNotInTheArguments() async throws {
        let result = try await run(
            #"""
            echo "{\"event\":\"warning\",\"message\":\"$*\"}"
            echo "{\"event\":\"warning\",\"message\":\"$ROOMCAST_BOT_TOKEN\"}"
            """#)
        #expect(
            result.reports == [
                .warning(
                    "bot --endpoint http://h:1 --output /out --configuration /out/.bot.json"),
                .warning("secret-token"),
            ])
    }

    /// Regardless of the server's environment: other credentials, such as `AWS_…`, come under any
    /// name.
    @Test func childrenGetTheListedVariablesAlone() {
        let server = [
            "PATH": "/bin", "LC_ALL": "C", "FONTCONFIG_FILE": "/f", "AWS_SECRET_ACCESS_KEY": "a",
            "ROOMCAST_AUTH_SECRET": "b", "ROOMCAST_LOG_LEVEL": "info", "GITHUB_TOKEN": "c",
            "DATABASE_URL": "d", "": "e",
        ]
        #expect(
            ChildProcess.environment(of: server, adding: ["ROOMCAST_BOT_TOKEN": "t"])
                == .custom([
                    "PATH": "/bin", "LC_ALL": "C", "FONTCONFIG_FILE": "/f",
                    "ROOMCAST_BOT_TOKEN": "t",
                ]))
        for variable in Settings.secretVariables { #expect(!ChildProcess.isHandedOn(variable)) }
    }

    @Test func aChildSeesNothingElse() async {
        // In a process of its own: other tests read the environment while this one changes it.
        await #expect(processExitsWith: .success) {
            setenv("ROOMCAST_TEST_CREDENTIALS", "shown", 1)
            let result = try await BotProcessTests().run(
                #"""
                echo "{\"event\":\"warning\",\"message\":\"[$ROOMCAST_TEST_CREDENTIALS]\"}"
                """#)
            #expect(result.reports == [.warning("[]")])
        }
    }

    @Test func aFailureKeepsTheBotsOwnReason() async throws {
        let reason = try await run(
            #"echo '{"event":"failed","reason":"disk full"}'; exit 1"#)
        #expect(reason.exit == .failed(reason: "disk full", .reported))
        let silent = try await run("exit 3")
        #expect(silent.exit == .failed(reason: "", .status(3)))
    }

    @Test func aProgramThatDoesNotExistIsNotStarted() async {
        let result = await run(executable: "/nowhere/roomcast", signals: [])
        guard case .notStarted = result.exit else {
            Issue.record("\(result.exit)")
            return
        }
    }
}
