import HLS
import Recording
import Synchronization

/// The timed metadata of a stream, for all of its layers. Written by the bot's owner, read by the
/// layers when they publish a segment.
final class TimedMetadataBoard: Sendable {
    private let ranges: Mutex<[DateRange]>

    init(_ metadata: [TimedMetadata] = []) { ranges = Mutex(metadata.map(\.dateRange)) }

    /// Entries beyond a playlist's maximum are dropped.
    func add(_ metadata: TimedMetadata) {
        ranges.withLock { ranges in
            guard ranges.count < MediaPlaylist.dateRangesMaximum else { return }
            ranges.append(metadata.dateRange)
        }
    }

    /// The entries after the first `count`.
    func ranges(after count: Int) -> ArraySlice<DateRange> {
        ranges.withLock { $0.dropFirst(count) }
    }
}
