public import MediaKernel

/// What a player asks of a playlist beyond its present text: to wait for a segment or a part, and to
/// leave out what it has. draft-pantos-hls-rfc8216bis sect. 6.2.5.
public struct ReloadRequest: Hashable, Sendable {
    /// Entries of an older playlist that are left out of the answer.
    public enum Skip: String, Hashable, Sendable {
        case segments = "YES"
        case segmentsAndDateRanges = "v2"
    }

    /// A query that is answered with 400.
    public enum Fault: Error, Hashable, Sendable {
        case malformed(String)
        case partWithoutSegment
        /// The server does not wait for anything that far ahead.
        case tooFarAhead
    }

    public enum Verdict: Hashable, Sendable {
        /// The playlist has it.
        case ready
        case wait
    }

    /// How far a playlist has got.
    public struct Progress: Hashable, Sendable {
        /// The number of the segment in the making.
        public var next: Int
        /// How many of its parts are listed.
        public var parts: Int
        /// How many parts the segment before it has; nil if that has none.
        public var lastParts: Int?
        public var isEnded: Bool

        public init(next: Int, parts: Int, lastParts: Int? = nil, isEnded: Bool = false) {
            self.next = next
            self.parts = parts
            self.lastParts = lastParts
            self.isEnded = isEnded
        }
    }

    /// A media sequence number; nil to answer at once.
    public private(set) var segment: Int?
    public private(set) var part: Int?
    public private(set) var skip: Skip?

    /// A request for a segment this far after the newest complete one is an error.
    static let segmentsAhead = 2
    /// A query is much shorter.
    static let queryBytesMaximum = 4096

    /// - Parameter query: of the address, without the question mark. Other names are ignored.
    public init(query: some StringProtocol) throws(Fault) {
        guard query.utf8.count <= Self.queryBytesMaximum else { throw .malformed("query") }
        for field in query.split(separator: "&") {
            let halves = field.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (halves[0], halves.count == 2 ? halves[1] : "")
            switch name {
            case "_HLS_msn":
                guard segment == nil, let number = decimalInteger(value) else {
                    throw .malformed("_HLS_msn")
                }
                segment = number
            case "_HLS_part":
                guard part == nil, let number = decimalInteger(value) else {
                    throw .malformed("_HLS_part")
                }
                part = number
            case "_HLS_skip":
                guard skip == nil, let wish = Skip(rawValue: String(value)) else {
                    throw .malformed("_HLS_skip")
                }
                skip = wish
            default: break
            }
        }
        guard part == nil || segment != nil else { throw .partWithoutSegment }
    }

    /// Whether the playlist has what is asked for. A part beyond a segment's last one is the next
    /// segment's first.
    ///
    /// - Throws: `tooFarAhead`.
    public func verdict(
        _ progress: Progress, partTarget: MediaTime
    ) throws(Fault) -> Verdict {
        guard let segment, !progress.isEnded else { return .ready }
        guard segment <= progress.next - 1 + Self.segmentsAhead else { throw .tooFarAhead }
        guard let part else { return segment < progress.next ? .ready : .wait }
        // The next part is `progress.parts`; the limit counts from the last one.
        let listed = segment == progress.next ? progress.parts : 0
        if segment >= progress.next {
            guard part < listed + Self.partsAhead(partTarget) else { throw .tooFarAhead }
        }
        if segment == progress.next { return part < progress.parts ? .ready : .wait }
        if segment > progress.next { return .wait }
        let isPastSegment =
            segment == progress.next - 1 && progress.lastParts.map { part >= $0 } ?? false
        return isPastSegment && progress.parts == 0 ? .wait : .ready
    }

    /// The Advance Part Limit: three seconds of parts, and at least three.
    private static func partsAhead(_ target: MediaTime) -> Int {
        let second = Int64(target.timescale)
        guard target.ticks < second else { return 3 }
        return Int((3 * second + target.ticks - 1) / max(1, target.ticks))
    }
}
