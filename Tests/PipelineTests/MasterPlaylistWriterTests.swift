import HLS
import MediaKernel
import Synchronization
import Testing
import Workbench

@testable import Pipeline

@Suite struct MasterPlaylistWriterTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func note(_ event: PipelineEvent) {
            let line =
                switch event {
                case .segmentPublished(let layer, let index, let bytes):
                    "segment \(layer) \(index) \(bytes)"
                case .running: "running"
                case .atWork: "at work"
                case .failed(let failure): "failed \(failure.reason)"
                default: "other"
                }
            lines.withLock { $0.append(line) }
        }
    }

    private let scratch: Scratch
    private let log = Log()
    private let master = MasterPlaylist(variants: [
        MasterPlaylist.Variant(
            uri: "stream_0/stream.m3u8", bandwidth: 1_000_000, averageBandwidth: 800_000,
            codecs: "avc1.640015,mp4a.40.2", width: 320, height: 180, frameRate: 30)
    ])

    init() throws { scratch = try Scratch() }

    private func ledger(layers: Int, directory: String? = nil) throws -> MasterPlaylistWriter {
        let log = log
        let ledger = MasterPlaylistWriter(layers: layers, directory: directory ?? scratch.path) {
            log.note($0)
        }
        try ledger.announce(master, isRecorded: false)
        return ledger
    }

    @Test func workIsToldWhenEveryLayerGotOnAndNotTooOften() {
        let time = Mutex(Instant.zero)
        let log = log
        let ledger = MasterPlaylistWriter(
            layers: 2, directory: scratch.path, now: { time.withLock { $0 } },
            emit: { log.note($0) })
        func work(_ layer: Int, at second: Int) {
            time.withLock { $0 = .zero + .seconds(second) }
            ledger.worked(layer: layer)
        }
        for second in 0..<10 { work(0, at: second) }
        // The other one hangs.
        #expect(log.all.isEmpty)
        work(1, at: 10)
        #expect(log.all == ["at work"])
        for second in 11..<15 {
            work(1, at: second)
            work(0, at: second)
        }
        #expect(log.all.count == 1)
        work(0, at: 15)
        #expect(log.all == ["at work", "at work"])
        for second in 16..<60 { work(0, at: second) }
        #expect(log.all.count == 2)
    }

    @Test func theMasterPlaylistAppearsWhenEveryLayerHasASegment() throws {
        let ledger = try ledger(layers: 3)
        ledger.published(layer: 0, segment: 0, bytes: 10)
        ledger.published(layer: 2, segment: 0, bytes: 30)
        ledger.published(layer: 0, segment: 1, bytes: 11)
        #expect(scratch.names().isEmpty)
        ledger.published(layer: 1, segment: 0, bytes: 20)
        #expect(try scratch.text("master.m3u8") == master.rendered())
        ledger.published(layer: 1, segment: 1, bytes: 21)
        #expect(
            log.all == [
                "segment 0 0 10", "segment 2 0 30", "segment 0 1 11", "running", "segment 1 0 20",
                "segment 1 1 21",
            ])
    }

    @Test func aLayerWithoutASegmentMeansNoMasterPlaylist() throws {
        let ledger = try ledger(layers: 2)
        ledger.published(layer: 0, segment: 0, bytes: 1)
        ledger.ended(layer: 0, segments: 1)
        ledger.ended(layer: 1, segments: 0)
        #expect(scratch.names().isEmpty)
        #expect(log.all == ["segment 0 0 1"])
    }

    @Test func theFirstFailureIsTheOneThatIsTold() throws {
        let ledger = try ledger(layers: 1)
        #expect(ledger.failure == nil)
        ledger.failed(PipelineFailure("disk full"))
        ledger.failed(PipelineFailure("encoder gone"))
        #expect(ledger.failure?.reason == "disk full")
        #expect(log.all == ["failed disk full"])
    }

    @Test func aMasterPlaylistThatCannotBeWrittenIsAFailure() throws {
        let ledger = try ledger(layers: 1, directory: "\(scratch.path)/nowhere")
        ledger.published(layer: 0, segment: 0, bytes: 1)
        #expect(ledger.failure?.reason.contains("No such file") == true)
        #expect(!log.all.contains("running"))
    }

    @Test func theTopLayersSegmentsAreCounted() throws {
        let ledger = try ledger(layers: 2)
        #expect(ledger.segments == 0)
        ledger.ended(layer: 1, segments: 9)
        ledger.ended(layer: 0, segments: 12)
        #expect(ledger.segments == 12)
    }
}
