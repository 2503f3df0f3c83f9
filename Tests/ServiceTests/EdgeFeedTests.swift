import ChildProcesses
import ControlAPI
import HLS
import MediaKernel
import Streams
import Synchronization
import Testing

@testable import Service

/// What the origin learns of low-latency streams.
@Suite(.timeLimit(.minutes(5))) struct EdgeFeedTests {
    private static func part(_ change: (inout BotReport.Part) -> Void = { _ in }) -> BotReport.Part
    {
        var part = BotReport.Part(
            layer: 1, segment: 12, part: 0, uri: "part_00012_0.m4s", frames: 10, frameRate: 30,
            isIndependent: true,
            start: BotReport.SegmentStart(
                programDateTime: 7, header: "init_1.mp4", isDiscontinuity: true))
        change(&part)
        return part
    }

    @Test func itLearnsWhatTheBotReportsAndHowItEnds() async throws {
        try await StreamsWorld().run { world in
            let streams = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let stream = try #require(streams.first)
            let bot = try #require(await world.launcher.next())
            await bot.say(.joined)
            await bot.say(.running(firstSegmentMilliseconds: 1))
            await bot.say(.part(Self.part()))
            await bot.say(.segmentListed(layer: 1, segment: 12))
            #expect(world.edges.facts == ["part 1 12.0", "listed 1 12"])
            let next = try #require(
                try await world.replace(bot, .failed(reason: "killed", .signal(9))))
            #expect(world.edges.facts.last == "interrupted")
            // Nothing of the dead bot counts any more.
            await bot.say(.part(Self.part()))
            #expect(world.edges.facts.count == 3)
            await next.say(.joined)
            await next.say(.part(Self.part()))
            _ = try await world.streams.stop(stream: stream.id, stoppedBy: nil)
            try await world.end(next, .finished(reason: "stopped"))
            #expect(world.edges.facts.suffix(2) == ["part 1 12.0", "ended"])
            #expect(world.edges.ticks > 0)
        }
    }

    /// Its files are removed, and may not be served from memory.
    @Test func whatHasNotRunIsForgotten() async throws {
        try await StreamsWorld().run { world in
            let streams = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)
            let stream = try #require(streams.first)
            let bot = try #require(await world.launcher.next())
            await bot.say(.joined)
            _ = try await world.streams.stop(stream: stream.id, stoppedBy: nil)
            try await world.end(bot, .finished(reason: "stopped"))
            #expect(world.edges.facts == ["ended", "removed \(stream.directory)"])
        }
    }

    @Test func aPartIsWhatTheReportSays() throws {
        let part = try #require(LivePart(Self.part()))
        #expect(part.layer == 1 && part.segment == 12 && part.index == 0)
        #expect(
            part.part
                == PartialSegment(
                    uri: "part_00012_0.m4s", duration: MediaTime(ticks: 10, timescale: 30),
                    isIndependent: true))
        #expect(part.head?.discontinuities == 1 && part.head?.programDateTime == 7)
        #expect(part.head?.initialization == InitializationSection(uri: "init_1.mp4"))
        #expect(try #require(LivePart(Self.part { $0.start = nil })).head == nil)
    }

    /// A bot decodes untrusted bytes.
    @Test func aPartThatCannotBeIsIgnored() {
        #expect(LivePart(Self.part { $0.frames = 0 }) == nil)
        #expect(LivePart(Self.part { $0.frames = .max }) == nil)
        #expect(LivePart(Self.part { $0.frameRate = 0 }) == nil)
        #expect(LivePart(Self.part { $0.frameRate = .max }) == nil)
        #expect(LivePart(Self.part { $0.segment = -1 }) == nil)
        #expect(LivePart(Self.part { $0.part = -1 }) == nil)
    }

    @Test(arguments: [
        (StreamContainer.both, ["cmaf_0", "cmaf_1", "cmaf_2"]),
        (.fragments, ["stream_0", "stream_1", "stream_2"]),
    ])
    func theShapeIsThatOfThePlan(container: StreamContainer, layers: [String]) throws {
        var plan = StreamPlan()
        plan.container = container
        var stream = LiveStream(
            id: "s", room: "demo", kind: .stream, session: "x", plan: plan,
            createdAt: UnixTime(seconds: 1), startedBy: "")
        #expect(LiveEdgeShape(of: stream) == nil)
        stream.plan.partFrames = 8
        let shape = try #require(LiveEdgeShape(of: stream))
        #expect(shape.directory == "demo/s")
        #expect(shape.layers == Array(layers.prefix(stream.plan.ladder.layers.count)))
        #expect(shape.partTarget == MediaTime(ticks: 8, timescale: 30))
        // Sixty frames: seven parts of eight, and one of four.
        #expect(shape.partsPerSegment == 8)
    }
}

/// What it is told, in words.
final class EdgesDouble: LiveEdgeFeed {
    private let told = Mutex<[String]>([])
    private let count = Mutex(0)

    var facts: [String] { told.withLock { $0 } }
    var ticks: Int { count.withLock { $0 } }

    private func tell(_ fact: String) { told.withLock { $0.append(fact) } }

    func began(_ stream: StreamID, _ shape: LiveEdgeShape) { tell("began") }
    func published(_ part: LivePart, of stream: StreamID) {
        tell("part \(part.layer) \(part.segment).\(part.index)")
    }
    func listed(segment: Int, layer: Int, of stream: StreamID) {
        tell("listed \(layer) \(segment)")
    }
    func interrupted(_ stream: StreamID) { tell("interrupted") }
    func ended(_ stream: StreamID) { tell("ended") }
    func removed(_ directory: String) { tell("removed \(directory)") }
    func timePassed(at now: Instant) { count.withLock { $0 += 1 } }
}
