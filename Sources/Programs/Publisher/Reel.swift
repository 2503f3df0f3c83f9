import MediaKernel

/// A file on the publisher's clock: which of its frames is due when.
struct Reel {
    private var file: MediaFile
    /// The file's time at the publisher's time zero.
    private let offset: Duration
    private var waiting: MediaFile.Frame?

    /// - Parameter offset: the file's time at the publisher's time zero; below zero for a file
    ///   that begins later.
    init(_ file: MediaFile, offset: Duration) {
        self.file = file
        self.offset = offset
    }

    /// The next frame before `end`, with its time on the publisher's clock. Frames from before the
    /// reel's begin are given too: pictures that follow are made from them.
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
