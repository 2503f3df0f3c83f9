import ChildProcesses
import Clocks
import ControlAPI
import Foundation
import HundredMS
import Logging
import MediaKernel
import NIOPosix
import Publisher
import Rooms
import Service
import ServiceLifecycle
import Streams
import Synchronization
import Tokens

/// A complete Roomcast in one command, for `make demo` and for CI's measurements.
struct Demo: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The result, as one line of JSON.
    struct Result: Encodable, Sendable {
        var master: String
        var directory: String
        var segments: Int
        var startedAfterMilliseconds: Int64
        var botCPUSeconds: Double
        var tiles: [Tile]
        /// Paths of the recorded assets; nil without recording.
        var assets: [String]?

        struct Tile: Encodable, Sendable {
            var peer: String
            var x: Int
            var y: Int
            var width: Int
            var height: Int
        }

        enum CodingKeys: String, CodingKey {
            case master, directory, segments
            case startedAfterMilliseconds = "started_after_ms"
            case botCPUSeconds = "bot_cpu_seconds"
            case tiles, assets
        }

        func line() throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    static let room = RoomID("demo")
    /// How long each step may take before the demonstration fails.
    static let stepTimeout: Duration = .seconds(30)
    /// How long the assets may take, however long the recording is.
    static let assetsTimeout: Duration = .seconds(600)
    static let participants = ["Ann", "Ben", "Cleo"]
    static let presenter = "Ann"

    let settings: Settings
    let mediaDirectory: String
    /// Nil to run until interrupted.
    let duration: Duration?
    /// Whether MP4 files and the VOD are made.
    let isRecorded: Bool
    let tracksAreRecorded: Bool
    /// Where the stream is pushed to.
    let outputs: [PushTarget]
    /// A page of the web to stream in place of the room.
    let view: String?
    /// For the operator's page: the settings as given, and the log's latest lines.
    let shown: SettingsTable
    let log: LogRing
    let logger: Logger

    /// Runs to its end. Returns nil when it was interrupted before the stream ran.
    func run(interrupted reasons: AsyncStream<String>) async throws -> Result? {
        let interruption = Interruption()
        let listener = Task {
            for await _ in reasons { interruption.happened() }
        }
        defer { listener.cancel() }
        let server = try await RoomcastServer(
            settings: settings, shown: shown, log: log, logger: logger)
        let (ports, portFound) = AsyncStream.makeStream(of: Int.self)
        let visit = Visit {
            for await port in ports { return try await show(server, port: port, interruption) }
            return nil
        }
        try await server.run(stoppingOn: [], guest: visit) { port in portFound.yield(port) }
        return try visit.outcome()
    }

    /// The demonstration as a service of the server, which stops when it is over.
    private final class Visit: ServiceLifecycle.Service {
        private let body: @Sendable () async throws -> Result?
        private let ended = Mutex<Swift.Result<Result?, any Error>?>(nil)

        init(body: @escaping @Sendable () async throws -> Result?) { self.body = body }

        func run() async {
            do {
                let result = try await body()
                ended.withLock { $0 = .success(result) }
            } catch {
                ended.withLock { $0 = .failure(error) }
            }
        }

        func outcome() throws -> Result? {
            guard let ended = ended.withLock({ $0 }) else {
                throw Failure("the server ended by itself")
            }
            return try ended.get()
        }
    }

    private func show(
        _ server: RoomcastServer, port: Int, _ interruption: Interruption
    ) async throws -> Result? {
        let endpoint = settings.http.botEndpoint(port: port)
        return try await withThrowingTaskGroup(of: Result?.self) { tasks in
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            for name in Self.participants {
                let (stop, _) = AsyncStream.makeStream(of: String.self)
                let publisher = publisher(name)
                let token = try server.authority.makeRoomToken(
                    room: Self.room, user: name.lowercased(), role: "host", at: .now)
                tasks.addTask {
                    try await publisher.run(
                        in: HundredMSAddress(endpoint: endpoint, token: token),
                        group: MultiThreadedEventLoopGroup.singleton, stop: stop
                    ) { arrived.yield() }
                    throw Failure("\(name) left the room")
                }
            }
            tasks.addTask {
                var count = 0
                for await _ in arrivals {
                    count += 1
                    if count == Self.participants.count { break }
                }
                return try await stream(server, endpoint: endpoint, interruption)
            }
            defer { tasks.cancelAll() }
            return try await tasks.next() ?? nil
        }
    }

    private var hasAssets: Bool { isRecorded || tracksAreRecorded }

    private func publisher(_ name: String) -> PublisherRunner {
        PublisherRunner(
            options: PublisherRunner.Options(
                name: name, path: clip(name.lowercased()),
                screen: name == Self.presenter ? slides : nil),
            logger: logger)
    }

    private func clip(_ name: String) -> String { "\(mediaDirectory)/\(name).webm" }

    /// What the presenter shares, where the clips have it.
    private var slides: String? {
        let path = clip("slides")
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    private func stream(
        _ server: RoomcastServer, endpoint: String, _ interruption: Interruption
    ) async throws -> Result? {
        var request = LiveStreamRequest(
            recording: hasAssets
                ? RecordingOptions(
                    hlsVOD: isRecorded, singleFilePerLayer: isRecorded,
                    tracks: tracksAreRecorded ? TrackOptions(zip: true) : nil) : nil)
        request.outputs = outputs
        if let view { request.variants = [LiveStreamVariant(meetingURL: view, isPage: true)] }
        let started = try await server.streams.start(
            room: Self.room, request, startedBy: nil)
        guard let stream = started.first else { throw Failure("no stream was started") }
        let directory = "\(settings.stream.outputDirectory)/\(Self.room)/\(stream.id)"
        print(
            """
            Room:       \(settings.http.publicBaseURL)/rooms/\(Self.room)?role=host
            Watch:      \(settings.http.publicBaseURL)/watch/\(Self.room)
            Master:     \(stream.playback.url)
            Files:      \(URL(fileURLWithPath: directory).path)
            Recordings: \(URL(fileURLWithPath: settings.stream.recordings.directory).path)

            """)
        for output in outputs { print("Push:       \(output)") }
        fflush(nil)
        let isRunning = try await wait(server, stream.id, until: .running, or: interruption)
        if isRunning {
            print("The stream is running. Ctrl-C ends it.")
            fflush(nil)
            try await pause(interruption)
        }
        _ = try await server.streams.stop(stream: stream.id, stoppedBy: nil)
        _ = try await wait(
            server, stream.id, until: .completed, or: nil,
            for: hasAssets ? Self.assetsTimeout : Self.stepTimeout)
        guard let statistics = await server.streams.statistics(of: stream.id),
            let totals = statistics.totals, let startedAfter = statistics.startedAfter
        else {
            if !isRunning { return nil }
            throw Failure("the bot said nothing of what it did")
        }
        return Result(
            master: stream.playback.url, directory: URL(fileURLWithPath: directory).path,
            segments: totals.segments, startedAfterMilliseconds: startedAfter.milliseconds,
            botCPUSeconds: totals.cpuSeconds,
            tiles: statistics.tiles.map {
                Result.Tile(peer: $0.peer, x: $0.x, y: $0.y, width: $0.width, height: $0.height)
            },
            assets: hasAssets
                ? try await server.assetFiles(of: stream.id).map {
                    URL(fileURLWithPath: $0).path
                } : nil)
    }

    /// Waits for a state. Returns false when interrupted first.
    private func wait(
        _ server: RoomcastServer, _ id: StreamID, until status: LiveStream.Status,
        or interruption: Interruption?, for timeout: Duration = Demo.stepTimeout
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            guard let stream = try await server.streams.stream(id) else { break }
            if stream.status == status { return true }
            if stream.status == .failed {
                throw Failure("the stream failed: \(stream.end?.description ?? "no reason")")
            }
            if interruption?.hasHappened == true { return false }
            try await Task.sleep(for: Interruption.pollInterval)
        }
        throw Failure("the stream was not \(status.rawValue) within \(timeout)")
    }

    /// Waits until the duration has passed or the user interrupts.
    private func pause(_ interruption: Interruption) async throws {
        let deadline = duration.map { ContinuousClock.now + $0 }
        while !interruption.hasHappened {
            if let deadline, ContinuousClock.now >= deadline { return }
            try await Task.sleep(for: Interruption.pollInterval)
        }
    }
}

/// Whether the user has interrupted the demonstration.
private final class Interruption: Sendable {
    static let pollInterval: Duration = .milliseconds(20)
    private let flag = Mutex(false)

    func happened() { flag.withLock { $0 = true } }
    var hasHappened: Bool { flag.withLock { $0 } }
}
