/// A file of the sound of all recorded tracks, for transcription.
public struct MixOptions: Hashable, Sendable, Codable {
    public enum Format: String, Hashable, Sendable, Codable {
        case wav, flac
    }

    public var format: Format
    /// Samples per second; nil for 16 000.
    public var sampleRate: Int?
    /// Whether one speaker is on the left and all others are on the right; nil for no.
    public var dualChannel: Bool?
    /// The peer, by id or name, or the role on the left; nil for whoever is heard first.
    public var left: String?

    public static let sampleRates = [16_000, 48_000]

    public init(
        format: Format, sampleRate: Int? = nil, dualChannel: Bool? = nil, left: String? = nil
    ) {
        self.format = format
        self.sampleRate = sampleRate
        self.dualChannel = dualChannel
        self.left = left
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case format, left
        case sampleRate = "sample_rate"
        case dualChannel = "dual_channel"
    }

    /// The first broken rule; nil for none.
    public var fault: String? {
        if let sampleRate, !Self.sampleRates.contains(sampleRate) {
            return "mix.sample_rate is 16000 or 48000"
        }
        guard let left else { return nil }
        guard (1...TrackOptions.nameBytesMaximum).contains(left.utf8.count) else {
            return "mix.left is a name of 1 to \(TrackOptions.nameBytesMaximum) bytes"
        }
        return dualChannel == true ? nil : "mix.left is for dual_channel alone"
    }
}
