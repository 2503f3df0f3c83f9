import MediaKernel
import RTP

/// The simulcast layers of one video, best first: the published file and its smaller ones.
struct VideoLayers {
    /// The layers' names, best first: full, half and quarter, as in SFUs.
    static let rids = ["f", "h", "q"]

    /// Files whose lengths differ by more would show different moments after some rounds.
    static let lengthTolerance: Duration = .milliseconds(1)

    /// The poorest `sentCount` layers are sent, as browsers do on a slow uplink.
    private(set) var sentCount: Int
    private let count: Int

    init(count: Int) {
        self.count = count
        sentCount = count
    }

    /// The layers' names in an offer; empty without simulcast.
    var rids: [String] { count > 1 ? Array(Self.rids.prefix(count)) : [] }

    func isSent(_ encoding: Int) -> Bool { encoding >= count - sentCount }

    /// Sends this many layers from here on, at least one and at most all.
    ///
    /// - Returns: the encodings that were not sent before.
    mutating func send(_ wanted: Int) -> Range<Int> {
        let before = sentCount
        sentCount = min(max(wanted, 1), count)
        return (count - sentCount)..<max(count - before, count - sentCount)
    }

    /// Opens the files of further layers of a file, best first.
    ///
    /// - Throws: `.tooManyLayers`, `.differentCodecs`, `.differentLength` or `.notSmaller`; errors
    ///   of the file's reader.
    static func open(_ paths: [String], of first: MediaFile) throws -> [MediaFile] {
        guard paths.count < rids.count else {
            throw PublisherError.tooManyLayers(maximum: rids.count)
        }
        var best = first
        return try paths.map { path in
            let file = try MediaFile(path: path)
            guard let codec = file.videoCodec, codec == first.videoCodec else {
                throw PublisherError.differentCodecs(path: path)
            }
            let apart = file.duration.inNanoseconds - first.duration.inNanoseconds
            guard abs(apart) <= lengthTolerance.nanoseconds else {
                throw PublisherError.differentLength(path: path)
            }
            guard file.pixels < best.pixels else { throw PublisherError.notSmaller(path: path) }
            best = file
            return file
        }
    }
}

extension MediaTime {
    fileprivate var inNanoseconds: Int64 { rescaled(to: 1_000_000_000).ticks }
}
