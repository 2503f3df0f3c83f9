public import RTP

/// A publisher's timed actions, like those of a person in front of a camera.
public struct Script: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// The track is not sent while it is muted, and the room knows.
        case mute(isVideo: Bool)
        case unmute(isVideo: Bool)
        /// Unpublishes both tracks.
        case unpublish
        /// Publishes tracks again, with new ids.
        case publish
        /// Loses the network, signalling and media, for this long.
        case interrupt(Duration)
        /// Continues with another file, from its beginning.
        case play(path: String)
        /// From here on, receivers must turn the pictures clockwise.
        case rotate(VideoRotation)
        /// From here on, only this many of the video's layers are sent, the poorest ones.
        case layers(Int)
    }

    public struct Step: Hashable, Sendable {
        /// Since the publisher began to send, on its own clock.
        public var time: Duration
        public var action: Action

        public init(time: Duration, action: Action) {
            self.time = time
            self.action = action
        }

        /// Reads `SECONDS:ACTION`, where the action is one of `mute-audio`, `mute-video`,
        /// `unmute-audio`, `unmute-video`, `unpublish`, `publish`, `break=SECONDS`, `play=FILE`,
        /// `rotate=DEGREES` and `layers=NUMBER`.
        ///
        /// - Throws: `.badStep`.
        public init(parsing text: String) throws(PublisherError) {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let time = Self.duration(parts[0]),
                let action = Self.action(parts[1])
            else { throw .badStep(text) }
            self.init(time: time, action: action)
        }

        private static func duration(_ text: Substring) -> Duration? {
            guard let seconds = Double(text), 0...Script.longest ~= seconds else { return nil }
            return .milliseconds(Int64(seconds * 1000))
        }

        private static func action(_ text: Substring) -> Action? {
            let parts = text.split(separator: "=", maxSplits: 1)
            switch (parts.first, parts.dropFirst().first) {
            case ("mute-audio", nil): return .mute(isVideo: false)
            case ("mute-video", nil): return .mute(isVideo: true)
            case ("unmute-audio", nil): return .unmute(isVideo: false)
            case ("unmute-video", nil): return .unmute(isVideo: true)
            case ("unpublish", nil): return .unpublish
            case ("publish", nil): return .publish
            case ("break", let value?): return duration(value).map { .interrupt($0) }
            case ("play", let value?): return .play(path: String(value))
            case ("rotate", let value?):
                return Int(value).flatMap(VideoRotation.init(rawValue:)).map { .rotate($0) }
            case ("layers", let value?):
                let counts = 1...VideoLayers.rids.count
                return Int(value).flatMap { counts.contains($0) ? .layers($0) : nil }
            default: return nil
            }
        }
    }

    /// The latest time and the longest break, in seconds: a day.
    static let longest = 86_400.0

    /// In the order of their times.
    private var steps: [Step]

    /// - Parameter steps: in any order; steps of equal times happen in the given order.
    public init(_ steps: [Step] = []) {
        self.steps = steps.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }

    /// The later files.
    var paths: [String] {
        steps.compactMap { if case .play(let path) = $0.action { path } else { nil } }
    }

    /// Removes and returns the first step that is due.
    mutating func next(at elapsed: Duration) -> Step? {
        guard let step = steps.first, step.time <= elapsed else { return nil }
        steps.removeFirst()
        return step
    }
}

/// As a script says it.
extension Script.Action: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mute(let isVideo): isVideo ? "mute-video" : "mute-audio"
        case .unmute(let isVideo): isVideo ? "unmute-video" : "unmute-audio"
        case .unpublish: "unpublish"
        case .publish: "publish"
        case .interrupt(let duration): "break=\(duration / .seconds(1))"
        case .play(let path): "play=\(path)"
        case .rotate(let rotation): "rotate=\(rotation.rawValue)"
        case .layers(let count): "layers=\(count)"
        }
    }
}
