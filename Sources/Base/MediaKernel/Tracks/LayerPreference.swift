/// The best simulcast layer of a video that a subscriber wants. RFC 8853.
public enum LayerPreference: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    case none, low, medium, high

    private var rank: Int {
        switch self {
        case .none: 0
        case .low: 1
        case .medium: 2
        case .high: 3
        }
    }

    public static func < (a: LayerPreference, b: LayerPreference) -> Bool { a.rank < b.rank }
}
