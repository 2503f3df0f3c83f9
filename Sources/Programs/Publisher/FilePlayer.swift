import MediaKernel
import RTP

/// A file playing on the publisher's clock, with key frames on request.
struct FilePlayer {
    private var file: MediaFile
    private var schedule: FileSchedule?
    /// Nothing is shown before this time on the publisher's clock.
    private var begin: Duration = .zero
    private var bridge: KeyframeBridge?

    init(_ file: MediaFile) {
        self.file = file
        bridge = Self.bridge(for: file)
    }

    private static func bridge(for file: MediaFile) -> KeyframeBridge? {
        file.videoCodec.flatMap { KeyframeBridge(codec: $0, frameRate: file.frameRate) }
    }

    /// Begins at this position of the file, which is the publisher's time zero.
    mutating func start(at position: Duration) {
        schedule = FileSchedule(file, offset: position)
        requestKeyframe()
    }

    /// Continues with another file from its beginning, at a time on the publisher's clock.
    mutating func change(to other: MediaFile, at time: Duration) {
        file = other
        schedule = FileSchedule(other, offset: .zero - time)
        begin = time
        bridge = Self.bridge(for: other)
    }

    func requestKeyframe() { bridge?.request() }

    /// The next frame before `end`, with its time on the publisher's clock; nil before the start.
    mutating func next(before end: Duration) throws -> (frame: MediaFile.Frame, time: Duration)? {
        while let (frame, time) = try schedule?.next(before: end) {
            if time >= begin { return (frame, time) }
            if frame.isVideo { bridge?.skip(frame) }
        }
        return nil
    }

    /// Notes a picture that is not sent.
    func skip(_ picture: MediaFile.Frame) { bridge?.skip(picture) }

    /// The picture to send: the file's own, unless a key frame was requested.
    ///
    /// - Throws: `CodecError`; the next picture passes unchanged.
    func pass(_ picture: MediaFile.Frame) throws -> MediaFile.Frame {
        try bridge?.pass(picture) ?? picture
    }
}
