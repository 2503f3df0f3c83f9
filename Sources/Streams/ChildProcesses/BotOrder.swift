import MediaKernel
public import Recording
public import Stage
public import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An order of the server to a running bot: one line of standard input.
public enum BotOrder: Hashable, Sendable {
    /// `layout {…}`, the whole layout as the control API writes it.
    case layout(Layout)
    /// `audio {"roles": …}`: only these roles are heard; nil for everybody.
    case roles(Set<String>?)
    /// `recording {"paused": …}`: while paused, the stream is left out of the assets.
    case recordingPaused(Bool)
    /// `metadata {…}`: the playlists list it from now on. It is already in the stream's log.
    case metadata(TimedMetadata)

    /// `output {…}`: the stream is pushed there too.
    case addOutput(SecretOutput)
    /// `no-output {"id": …}`: it is not pushed there any more.
    case removeOutput(String)
    /// `preview {"seconds": …}`: somebody looks at the stream's preview; its pictures are made for
    /// so long.
    case preview(seconds: Int)

    /// The most waiting orders; if there are more, the latest ones win. Larger than the number that
    /// the API accepts at once.
    public static let waitingMaximum = 128

    /// A longer wish is none of the server's.
    private static let previewSeconds = 1...60

    private enum Word: String {
        case layout, audio, recording, metadata, output, preview
        case noOutput = "no-output"
    }

    private struct Recording: Codable {
        var paused: Bool
    }

    private struct Output: Codable {
        var id: String
    }

    private struct Preview: Codable {
        var seconds: Int
    }

    private struct Audio: Decodable {
        var roles: [String]?
    }

    /// Nil if the line is not an order.
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
            case .output:
                self = .addOutput(
                    try JSONDocument.decode(SecretOutput.self, from: body, limits: .own))
            case .noOutput:
                self = .removeOutput(
                    try JSONDocument.decode(Output.self, from: body, limits: .own).id)
            case .preview:
                let seconds = try JSONDocument.decode(Preview.self, from: body, limits: .own)
                    .seconds
                guard Self.previewSeconds.contains(seconds) else { return nil }
                self = .preview(seconds: seconds)
            }
        } catch {
            return nil
        }
    }

    /// The line without its line break.
    public func line() throws -> String {
        switch self {
        case .layout(let layout): try Self.line(.layout, layout.json)
        case .roles(let roles): try Self.line(.audio, ["roles": roles?.sorted()])
        case .recordingPaused(let isPaused):
            try Self.line(.recording, Recording(paused: isPaused))
        case .metadata(let metadata): try Self.line(.metadata, metadata)
        case .addOutput(let output): try Self.line(.output, output)
        case .removeOutput(let id): try Self.line(.noOutput, Output(id: id))
        case .preview(let seconds): try Self.line(.preview, Preview(seconds: seconds))
        }
    }

    private static func line(_ word: Word, _ body: some Encodable) throws -> String {
        "\(word.rawValue) \(try jsonText(body))"
    }
}
