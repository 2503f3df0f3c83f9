import Glibc
import Recording

/// A note in a layer's directory of the segment whose parts are being written: what the playlist
/// will say before it. A bot that replaces a dead one makes a segment of its parts with it.
struct UnfinishedSegment: Hashable {
    /// Hidden, so that no origin serves it.
    static let fileName = ".unfinished"
    private static let bytesMaximum = 1024

    var number: Int
    var start: SegmentPart.Start

    init(number: Int, start: SegmentPart.Start) {
        self.number = number
        self.start = start
    }

    /// Nil if there is none, or it is no such note.
    init?(in directory: String) {
        guard
            let bytes = try? StreamFolder.read(
                "\(directory)/\(Self.fileName)", maximum: Self.bytesMaximum)
        else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 4, let number = Int(words[0]), number >= 0,
            let date = Int64(words[1]), let isDiscontinuity = Bool(String(words[2])),
            StreamFolder.isThere("\(directory)/\(words[3])")
        else { return nil }
        self.init(
            number: number,
            start: SegmentPart.Start(
                programDateTime: date, header: String(words[3]),
                isDiscontinuity: isDiscontinuity))
    }

    func write(in directory: String) throws(PipelineError) {
        try AtomicFile.write(
            "\(number) \(start.programDateTime) \(start.isDiscontinuity) \(start.header)",
            to: Self.fileName, in: directory)
    }

    /// After the last segment.
    static func remove(in directory: String) { unlink("\(directory)/\(fileName)") }
}
