import Glibc
import Matroska

/// A file that a bot has left.
struct LiveTrackFile {
    let path: String

    /// One frame, in the order of the file.
    struct Frame {
        /// In ticks of `LiveMatroska.timescale`.
        var time: Int64
        var isKeyframe: Bool
        var bytes: ArraySlice<UInt8>
    }

    /// Calls `body` for each frame up to the first cluster that is missing or torn.
    ///
    /// - Throws: `.file`, and what `body` throws.
    func readFrames(
        _ body: (Frame) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        let reader = try LiveTrackReader(self)
        while let frame = try reader.next() { try body(frame) }
    }
}

/// Reads such a file cluster by cluster. Memory holds one.
final class LiveTrackReader {
    private let path: String
    private let file: Int32
    private let size: UInt64
    private var position: UInt64 = 0
    private var content: [UInt8] = []
    private var frames: ArraySlice<LiveMatroskaReader.Frame> = []

    /// - Throws: `.file`.
    init(_ live: LiveTrackFile) throws(RecordingError) {
        path = live.path
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        size = UInt64(max(0, lseek(file, 0, SEEK_END)))
    }

    deinit { close(file) }

    /// Nil after the last frame before a cluster that is missing or torn.
    ///
    /// - Throws: `.file`.
    func next() throws(RecordingError) -> LiveTrackFile.Frame? {
        while frames.isEmpty {
            guard try readElement() else {
                // Nothing after it counts.
                position = size
                return nil
            }
        }
        let frame = frames.removeFirst()
        return LiveTrackFile.Frame(
            time: frame.time, isKeyframe: frame.isKeyframe, bytes: content[frame.range])
    }

    private func readElement() throws(RecordingError) -> Bool {
        guard position < size,
            let element = LiveMatroskaReader.Head(try read(LiveMatroskaReader.headBytes))
        else { return false }
        position += UInt64(element.headBytes)
        switch element.kind {
        case .parent: return true
        case .other: break
        case .cluster:
            guard element.byteCount <= LiveMatroskaReader.clusterBytesMaximum,
                position <= size, element.byteCount <= size - position
            else { return false }
            content = try read(Int(element.byteCount))
            guard let found = LiveMatroskaReader.frames(in: content) else { return false }
            frames = found[...]
        }
        let (next, overflow) = position.addingReportingOverflow(element.byteCount)
        guard !overflow else { return false }
        position = next
        return true
    }

    private func read(_ count: Int) throws(RecordingError) -> [UInt8] {
        guard lseek(file, Int(position), SEEK_SET) >= 0 else { throw .failed("seek", path) }
        return try StreamFolder.read(file, path, first: count)
    }
}
