import Catalogue
import ChildProcesses
import Foundation
import Jibri
import MediaKernel
import Streams
import Testing
import Workbench

@testable import Service

/// Calls that are recorded as streams of simulated bots.
struct CallWorld {
    let world: StreamsWorld
    let scratch: Scratch
    let files: CallFiles
    let recorder: StreamCallRecorder
    let holds = AssetHolds()
    private var news: AsyncStream<CallNews>.AsyncIterator

    /// - Parameters:
    ///   - world: with the account of `JibriDoubles` for calls.
    ///   - change: of the operator's settings.
    ///   - place: of a file; nil for the disk's.
    ///   - planned: what happens when a start is under way.
    init(
        _ world: StreamsWorld, _ change: (inout JibriSettings) -> Void = { _ in },
        place: CallDelivery.Place? = nil, planned: @escaping @Sendable () -> Void = {}
    ) throws {
        self.world = world
        scratch = try Scratch()
        var settings = JibriDoubles.settings("\(scratch.path)/recordings")
        change(&settings)
        let clock = world.clock
        files = CallFiles(
            catalogue: world.catalogue, control: world.streams,
            recordings: "\(world.directory)/recordings", settings: settings, holds: holds, width: 2,
            logger: JibriDoubles.logger, place: place, time: { clock.time })
        recorder = StreamCallRecorder(
            control: world.streams, settings: settings, files: files,
            logger: JibriDoubles.logger, clock: { clock.instant },
            plan: { call throws(RecordingFailure) in
                planned()
                return try CallPlan(call, CallTimeouts(), watchPages: "http://h:1/watch")
            })
        news = recorder.news.makeAsyncIterator()
    }

    /// Admits the recorder's account, as `roomcast jibri` does.
    static func admit(_ settings: inout StreamSettings) {
        let call = JibriDoubles.environment().call
        settings.sources.jitsi.admit(
            JitsiCredential.Account(user: call.user, password: call.password), to: call.domain,
            at: JibriDoubles.environment().hosts[0].description)
    }

    func tick() async { await recorder.tick(at: world.clock.instant) }

    mutating func next() async -> CallNews.Event? { await news.next()?.event }

    /// Begins a call, and lets its bot say that it is on air.
    func running(_ call: JibriCall) async -> BotDouble? {
        guard await recorder.admit(call, slot: 0) else { return nil }
        await recorder.begin(call.session, slot: 0)
        guard let bot = await world.launcher.next() else { return nil }
        await bot.say(.running(firstSegmentMilliseconds: 1))
        await tick()
        return bot
    }

    /// Lets a stopped stream's assets be made.
    ///
    /// - Parameter isEmpty: whether there are none.
    func finish(_ stream: StreamID, isEmpty: Bool = false) async throws {
        guard let run = await world.finishers.next() else { return }
        if !isEmpty { try await add(stream) }
        run.exit(.finished)
        let streams = world.streams
        try await until { (try? await streams.stream(stream))??.status.isFinal == true }
    }

    /// Makes a stream's asset.
    func add(_ stream: StreamID) async throws {
        let path = "beam/x/\(stream).mp4"
        let file = URL(filePath: "\(world.directory)/recordings/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("movie".utf8).write(to: file)
        try await world.catalogue.save([
            CatalogueAsset(
                id: "\(stream)-a", stream: stream, room: "x", kind: .roomComposite,
                path: path, byteCount: 5, createdAt: world.clock.time,
                size: .init(width: 1280, height: 720))
        ])
    }
}
