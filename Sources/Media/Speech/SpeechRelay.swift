public import MediaKernel

/// What a keeper passes to the program that recognizes speech, and when it starts the program
/// again.
///
/// While the program does not read, or there is none, sound is left out, but not who is there: a
/// program that is started again is told of all present speakers first.
public struct SpeechRelay: Sendable {
    /// Some ten seconds of one speaker. Beyond it sound is left out until the program has read.
    public static let waitingBytesMaximum = 320_000
    /// Who is there is not left out, so a program that has not read so much more is taken to hang.
    public static let hangingBytes = 2 * waitingBytesMaximum
    public static let speakersMaximum = 256
    public static let firstPause: Duration = .seconds(1)
    public static let pauseMaximum: Duration = .seconds(60)
    /// A program that ran for so long has worked: the next pause is the first one again.
    public static let trial: Duration = .seconds(60)

    private var speakers: [(number: UInt32, begin: SpeechFrame)] = []
    private var waiting: [UInt8] = []
    private var startedAt: Instant?
    private var dueAt: Instant
    private var pause = SpeechRelay.firstPause
    private var reader = SpeechFrameReader()
    /// Frames of sound that were left out.
    public private(set) var leftOut = 0

    /// The program is due at once.
    public init(at now: Instant) { dueAt = now }

    public var isRunning: Bool { startedAt != nil }

    /// Whether to start the program, and if not now, when.
    public func start(at now: Instant) -> (isDue: Bool, wait: Duration)? {
        guard startedAt == nil else { return nil }
        return (now >= dueAt, max(.zero, dueAt - now))
    }

    /// - Returns: false once the input is no frames.
    public mutating func received(_ bytes: some Sequence<UInt8>) -> Bool {
        for frame in reader.read(bytes) { take(frame) }
        return !reader.isBroken
    }

    private mutating func take(_ frame: SpeechFrame) {
        switch frame.kind {
        case .begin:
            speakers.removeAll { $0.number == frame.speaker }
            if speakers.count >= Self.speakersMaximum { speakers.removeFirst() }
            speakers.append((frame.speaker, frame))
        case .end: speakers.removeAll { $0.number == frame.speaker }
        case .sound:
            guard isRunning, waiting.count <= Self.waitingBytesMaximum else {
                leftOut += 1
                return
            }
        }
        if isRunning, !hangs { waiting += frame.bytes }
    }

    /// Whether the program has not read for so long that it must be ended, since it would not know
    /// its speakers any more.
    public var hangs: Bool { waiting.count > Self.hangingBytes }

    public mutating func started(at now: Instant) {
        startedAt = now
        waiting = speakers.flatMap(\.begin.bytes)
    }

    /// The program has ended, or could not be started.
    ///
    /// - Returns: the time until it is started again.
    public mutating func ended(at now: Instant) -> Duration {
        if let startedAt, now - startedAt >= Self.trial { pause = Self.firstPause }
        startedAt = nil
        waiting = []
        defer { pause = min(pause * 2, Self.pauseMaximum) }
        dueAt = now + pause
        return pause
    }

    /// Whether there are bytes for the program.
    public var hasOutput: Bool { !waiting.isEmpty }

    /// Calls `body` with all of them.
    public func withOutput<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        waiting.withUnsafeBytes(body)
    }

    /// The program has taken so many.
    public mutating func written(_ count: Int) { waiting.removeFirst(min(count, waiting.count)) }
}
