import MediaKernel
public import Recording
public import Stage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the server wants of a bot while it runs: one line of standard input.
public enum BotOrder: Hashable, Sendable {
    /// `layout {…}`, the whole layout as the control API writes it.
    case layout(Layout)
    /// `audio {"roles": …}`: the roles that are heard, nil for everybody.
    case roles(Set<String>?)
    /// `recording {"paused": …}`: whether what is shown is left out of the assets.
    case recordingPaused(Bool)
    /// `metadata {…}`: what the playlists list from now on. It is in the stream's log already.
    case metadata(TimedMetadata)

    /// Orders that wait to be carried out; of more, the latest ones count. More than the API takes
    /// at once.
    public static let waitingMaximum = 128

    private enum Word: String {
        case layout, audio, recording, metadata
    }

    private struct Recording: Codable {
        var paused: Bool
    }

    private struct Audio: Decodable {
        var roles: [String]?
    }

    /// Nil for a line that is no order.
    public init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let word = Word(rawValue: String(parts[0])) else { return nil }
        let body = Data(parts[1].utf8)
        do {
            switch word {
            case .layout:
                var layout = Layout()
                try layout.merge(JSONDocument.decode(JSONValue.self, from: body, limits: .own))
                self = .layout(layout)
            case .audio:
                let audio = try JSONDocument.decode(Audio.self, from: body, limits: .own)
                self = .roles(audio.roles.map(Set.init))
            case .recording:
                self = .recordingPaused(
                    try JSONDocument.decode(Recording.self, from: body, limits: .own).paused)
            case .metadata:
                self = .metadata(
                    try JSONDocument.decode(TimedMetadata.self, from: body, limits: .own))
            }
        } catch {
            return nil
        }
    }

    /// Without its line break.
    public func line() throws -> String {
        switch self {
        case .layout(let layout): try Self.line(.layout, layout.json)
        case .roles(let roles): try Self.line(.audio, ["roles": roles?.sorted()])
        case .recordingPaused(let isPaused):
            try Self.line(.recording, Recording(paused: isPaused))
        case .metadata(let metadata): try Self.line(.metadata, metadata)
        }
    }

    private static func line(_ word: Word, _ body: some Encodable) throws -> String {
        "\(word.rawValue) \(try jsonText(body))"
    }
}
