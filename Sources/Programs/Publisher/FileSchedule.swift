import MediaKernel

/// A file on the publisher's clock: decides when each frame is due.
struct FileSchedule {
    private var file: MediaFile
    /// The file's time at the publisher's time zero.
    private let offset: Duration
    private var waiting: MediaFile.Frame?

    /// - Parameter offset: the file's time at the publisher's time zero; negative for a file that
    ///   begins later.
    init(_ file: MediaFile, offset: Duration) {
        self.file = file
        self.offset = offset
    }

    /// The next frame before `end`, with its time on the publisher's clock. Includes frames from
    /// before the reel's begin, because later pictures are predicted from them.
    mutating func next(before end: Duration) throws -> (frame: MediaFile.Frame, time: Duration)? {
        guard let frame = try waiting ?? file.next() else { return nil }
        let time = .nanoseconds(frame.time.rescaled(to: 1_000_000_000).ticks) - offset
        guard time < end else {
            waiting = frame
            return nil
        }
        waiting = nil
        return (frame, time)
    }
}
