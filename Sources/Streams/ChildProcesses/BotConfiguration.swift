public import MediaKernel
public import Streams

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A bot's configuration for its stream: the JSON file of `roomcast bot --configuration`.
public struct BotConfiguration: Hashable, Sendable {
    public var room: RoomID
    public var stream: StreamID
    public var plan: StreamPlan
    /// Whether segments are logged and kept for assets.
    public var isRecorded: Bool
    public var isRecordingPaused: Bool
    public var logLevel: String
    public var logFormat: String
    /// The plan's outputs with their secrets, which the plan itself does not write down.
    public var outputs: [SecretOutput]
    /// The directory of the uploaded pictures; nil for none.
    public var picturesDirectory: String?
    /// The program that recognizes speech; nil for none.
    public var speech: SpeechCommand?

    /// Hidden, so that the origin never serves it.
    public static let fileName = ".bot.json"

    /// The most bytes that a file may have.
    static let bytesMaximum = 1 << 20

    public init(
        room: RoomID, stream: StreamID, plan: StreamPlan, isRecorded: Bool = false,
        isRecordingPaused: Bool = false, logLevel: String = "info", logFormat: String = "logfmt"
    ) {
        self.room = room
        self.stream = stream
        self.plan = plan
        self.isRecorded = isRecorded
        self.isRecordingPaused = isRecordingPaused
        self.logLevel = logLevel
        self.logFormat = logFormat
        outputs = plan.outputs.compactMap(SecretOutput.init)
    }

    /// Writes the file, readable by its owner only.
    ///
    /// - Returns: its path.
    public func write(to directory: String) throws -> String {
        let path = "\(directory)/\(Self.fileName)"
        try Data(jsonText(self).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// Reads a file.
    public static func read(_ path: String) throws -> BotConfiguration {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw BotConfigurationError("\(path) cannot be read: is it there, and readable?")
        }
        guard data.count <= bytesMaximum else {
            throw BotConfigurationError("\(path) is larger than \(bytesMaximum) bytes")
        }
        do {
            return try JSONDocument.decode(BotConfiguration.self, from: data, limits: .own)
        } catch {
            throw BotConfigurationError("\(path): \(error)")
        }
    }
}

/// The reason why a file is invalid.
public struct BotConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { "bot configuration: \(reason)" }
}
