public import MediaKernel

/// What was left out between the bot and the program, for the bot's log: once a minute at most.
public struct SpeechLosses: Sendable {
    public static let interval: Duration = .seconds(60)

    private var told = (sound: 0, lines: 0)
    private var dueAt: Instant

    public init(at now: Instant) { dueAt = now }

    /// - Parameters:
    ///   - sound: frames that were left out so far.
    ///   - lines: lines that were left out so far.
    /// - Returns: nil if there is nothing new, or it is too early for it.
    public mutating func notice(sound: Int, lines: Int, at now: Instant) -> String? {
        guard (sound, lines) != told, now >= dueAt else { return nil }
        told = (sound, lines)
        dueAt = now + Self.interval
        return "speech recognition: left out so far: \(sound) frames of sound, \(lines) lines"
    }
}
