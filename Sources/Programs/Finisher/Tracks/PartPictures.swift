import Recording

/// The pictures of a peer's parts one after the other. A part is shown until the next one begins.
final class PartPictures {
    struct Picture {
        /// On the common clock, in ticks of `PictureReader.timescale`.
        var place: Int64
        var isKeyframe: Bool
        var bytes: [UInt8]
        /// The part's index.
        var part: Int
    }

    /// In the order in which they begin.
    let parts: [RecordedPart]
    private var reader: PictureReader?
    private var current = -1
    private(set) var next: Picture?

    /// - Throws: `RecordingError`.
    init(_ parts: [RecordedPart]) throws {
        let rate = PictureReader.timescale
        self.parts = parts.sorted { $0.start(in: rate) < $1.start(in: rate) }
        try advance()
    }

    /// Goes on to the next picture.
    ///
    /// - Throws: `RecordingError`.
    func advance() throws {
        while true {
            if let picture = try reader?.next() {
                if picture.place >= end { continue }
                next = Picture(
                    place: picture.place, isKeyframe: picture.isKeyframe, bytes: picture.bytes,
                    part: current)
                return
            }
            guard current + 1 < parts.count else {
                next = nil
                return
            }
            current += 1
            reader = try parts[current].pictures()
        }
    }

    /// Of the current part.
    private var end: Int64 {
        parts.dropFirst(current + 1).first?.start(in: PictureReader.timescale) ?? .max
    }
}
