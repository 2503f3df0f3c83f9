import HLS
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Synchronization
import Workbench

@testable import ControlAPI

/// A low-latency stream of two layers on air, as a bot would write and report it, with a clock of
/// its own. Segments have two seconds and six parts; a part's content is its name.
final class EdgeWorld: Sendable {
    static let part = MediaTime(ticks: 10, timescale: 30)
    static let noon: Int64 = 1_770_000_000_000_000_000

    let world: TestWorld
    let edges: LiveEdges
    let directory: String
    let stream: StreamID = "s1"
    private let time: Clock

    private final class Clock: Sendable {
        let now = Mutex(Instant.zero)
    }

    /// - Parameter directory: below the root.
    init(directory: String = "demo/s1", bytesMaximum: Int = LiveEdges.bytesMaximum) async throws {
        var world = try await TestWorld()
        let time = Clock()
        self.time = time
        self.directory = directory
        edges = LiveEdges(
            root: "\(world.directory)/out", bytesMaximum: bytesMaximum,
            clock: { time.now.withLock { $0 } })
        world.edges = edges
        self.world = world
        begin()
    }

    var edge: StreamEdge {
        guard let edge = edges[stream] else { fatalError("the stream is on air") }
        return edge
    }

    func begin() {
        edges.began(
            stream,
            LiveEdgeShape(
                directory: directory, layers: ["cmaf_0", "cmaf_1"], partTarget: Self.part,
                partsPerSegment: 6))
    }

    /// Lets time pass, and ends what has waited for too long.
    func pass(_ duration: Duration) {
        let now = time.now.withLock { now in
            now += duration
            return now
        }
        edges.timePassed(at: now)
    }

    static func name(_ segment: Int, _ part: Int) -> String {
        "part_\(paddedDecimal(Int64(segment), digits: 5))_\(part).m4s"
    }

    /// Writes a part and reports it.
    func publish(
        _ segment: Int, _ part: Int, layer: Int = 0, content: String? = nil,
        isDiscontinuity: Bool = false, isWritten: Bool = true
    ) throws {
        let name = Self.name(segment, part)
        if isWritten {
            try world.write("\(directory)/cmaf_\(layer)/\(name)", (content ?? name).utf8)
        }
        let head = Segment(
            uri: "", duration: MediaTime(ticks: 0, timescale: 1),
            programDateTime: Self.noon + Int64(segment) * 2_000_000_000,
            discontinuities: isDiscontinuity ? 1 : 0,
            initialization: InitializationSection(uri: "init_1.mp4"))
        edges.published(
            LivePart(
                layer: layer, segment: segment, index: part,
                part: PartialSegment(uri: name, duration: Self.part, isIndependent: part == 0),
                head: part == 0 ? head : nil), of: stream)
    }

    /// Writes a segment and the playlist with all so far, and reports them.
    ///
    /// - Parameter parts: how long the segment is.
    func list(_ last: Int, layer: Int = 0, parts: Int = 6, isEnded: Bool = false) throws {
        let folder = "\(directory)/cmaf_\(layer)"
        try world.write("\(folder)/segment_\(last).m4s", "segment \(last)".utf8)
        let segments = (0...last).map {
            Segment(
                uri: "segment_\($0).m4s",
                duration: MediaTime(ticks: $0 == last ? Int64(parts) * 10 : 60, timescale: 30),
                programDateTime: Self.noon + Int64($0) * 2_000_000_000,
                initialization: InitializationSection(uri: "init_1.mp4"))
        }
        let playlist = MediaPlaylist(
            kind: .live, targetDuration: 2, segments: segments, isEnded: isEnded)
        try world.write("\(folder)/stream.m3u8", playlist.rendered().utf8)
        edges.listed(segment: last, layer: layer, of: stream)
    }

    /// Complete segments in both layers, and some parts of one more.
    func run(segments: Int, open: Int = 0) async throws {
        for layer in 0...1 {
            for segment in 0..<segments {
                for part in 0..<6 { try publish(segment, part, layer: layer) }
                try list(segment, layer: layer)
            }
            for part in 0..<open { try publish(segments, part, layer: layer) }
        }
        _ = await edge.settled()
    }
}

extension StreamEdge {
    /// Waits until all reports have been worked off.
    func settled() async -> Bool { await comesAbout { isIdle } }
}
