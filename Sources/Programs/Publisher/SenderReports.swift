import MediaKernel

/// The kind of sender reports that a publisher sends. RFC 3550 sect. 6.4.1.
public enum SenderReports: String, Hashable, Sendable, CaseIterable {
    /// Correct ones, each second.
    case regular
    /// None at all.
    case none
    /// Correct ones, from the tenth second on.
    case late
    /// The video's are three seconds ahead of the audio's.
    case shifted
    /// Each is wrong by up to 400 ms either way, at random.
    case erratic

    static let interval: Duration = .seconds(1)
    private static let lateness: Duration = .seconds(10)
    private static let shift: Duration = .seconds(3)
    private static let error: ClosedRange<Int64> = -400_000_000...400_000_000

    /// The error to add to a report's time; nil for no report.
    ///
    /// - Parameter elapsed: since the publisher began.
    func error(
        isVideo: Bool, after elapsed: Duration, using random: inout SeededRandom
    ) -> Duration? {
        switch self {
        case .regular: .zero
        case .none: nil
        case .late: elapsed < Self.lateness ? nil : .zero
        case .shifted: isVideo ? Self.shift : .zero
        case .erratic: .nanoseconds(Int64.random(in: Self.error, using: &random))
        }
    }
}
