import Codec
import Glibc
import Streams

/// Writes the preview's pictures, on a thread of its own: neither the director nor an encoder waits
/// for a JPEG, and no fault of it reaches the stream.
final class PreviewWriter: Sendable {
    /// JPEG's quality, 1 (best) to 31: some 15 to 30 kB.
    private static let quality = 6

    /// One picture: while it waits, later ones are refused, and it holds no more of the compositor's
    /// memory.
    let inbox = Mailbox<VideoFrame>(maximum: 1)
    private let directory: String

    /// - Parameter directory: the stream's own, which must exist.
    init(in directory: String) { self.directory = directory }

    /// The body of the thread. Returns when the inbox is closed, and leaves no picture behind.
    func run() {
        defer { unlink("\(directory)/\(StreamPreview.fileName)") }
        var grid: PictureGrid?
        var batch: [VideoFrame] = []
        while inbox.takeAll(into: &batch, until: nil) {
            guard let picture = batch.popLast() else { continue }
            // A disk or an encoder that fails now may work a second later.
            try? write(picture, by: &grid)
        }
    }

    private func write(_ picture: VideoFrame, by grid: inout PictureGrid?) throws {
        let size = StreamPreview.size(of: picture.width, picture.height)
        if grid?.width != size.width || grid?.height != size.height { grid = nil }
        let sheet = try grid ?? PictureGrid(width: size.width, height: size.height)
        grid = sheet
        try sheet.put(picture, at: 0)
        try AtomicFile.write(
            try sheet.jpeg(quality: Self.quality), to: StreamPreview.fileName, in: directory)
    }
}
