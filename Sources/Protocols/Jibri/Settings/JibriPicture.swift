import HLS
import HOCON

/// What an operator has set for ffmpeg's pictures; nil for what the server's own layers say. Jibri's
/// defaults count as not set.
public struct JibriPicture: Hashable, Sendable {
    /// Luma samples.
    public var width: Int?
    public var height: Int?
    /// Per second.
    public var frameRate: Int?
    /// Of a stream, in bits per second.
    public var streamBitrate: Int?

    public init() {}

    /// For people; nil if nothing is set.
    var words: String? {
        var words: [String] = []
        if let width, let height { words.append("\(width)x\(height)") }
        if let frameRate { words.append("\(frameRate) per second") }
        if let streamBitrate { words.append("streams with \(streamBitrate / 1000) kbit/s") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension JibriPicture {
    /// What Roomcast cannot do does not keep it from starting: its own layers are used.
    mutating func read(_ section: SettingsReader.Section, _ reader: inout SettingsReader) {
        if let (width, height) = Self.value(
            "resolution", section, &reader, "a size of up to 1920x1080 with even sides", Self.size)
        {
            (self.width, self.height) = (width, height)
        }
        frameRate = Self.value("framerate", section, &reader, "a rate from 5 to 60") {
            Int($0).flatMap { Ladder.frameRates.contains($0) ? $0 : nil }
        }
        streamBitrate = Self.value(
            "streaming-max-bitrate", section, &reader, "a bitrate like 2976k, of up to 20 Mbit/s",
            Self.bitrate)
    }

    private static func value<Value>(
        _ name: String, _ section: SettingsReader.Section, _ reader: inout SettingsReader,
        _ wanted: String, _ read: (String) -> Value?
    ) -> Value? {
        let key = "jibri.ffmpeg.\(name)"
        guard let text = reader.text(key, in: section), !text.isEmpty else { return nil }
        guard let value = read(text) else {
            reader.say(
                .noted, key, "is not \(wanted): the server's own layers are used",
                at: reader.place(of: key, in: section))
            return nil
        }
        return value
    }

    private static func size(_ text: String) -> (Int, Int)? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            Ladder.shortSides.contains(min(width, height)),
            Ladder.longSides.contains(max(width, height)),
            width.isMultiple(of: 2), height.isMultiple(of: 2)
        else { return nil }
        return (width, height)
    }

    /// As ffmpeg reads it: with `k` or `M` for thousands and millions.
    private static func bitrate(_ text: String) -> Int? {
        let factor = text.hasSuffix("k") ? 1000 : text.hasSuffix("M") ? 1_000_000 : 1
        guard let number = Int(factor == 1 ? text : String(text.dropLast())), number > 0,
            number <= Ladder.videoBitrates.upperBound / factor
        else { return nil }
        let bitrate = number * factor
        return Ladder.videoBitrates.contains(bitrate) ? bitrate : nil
    }
}
