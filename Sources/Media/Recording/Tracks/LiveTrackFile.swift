import Glibc
import Matroska

/// Reads a file that a bot has left, cluster by cluster. Memory holds one.
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
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        defer { close(file) }
        let size = UInt64(max(0, lseek(file, 0, SEEK_END)))
        var position: UInt64 = 0
        while position < size {
            let head = try read(file, LiveMatroskaReader.headBytes, at: position)
            guard let element = LiveMatroskaReader.Head(head) else { return }
            position += UInt64(element.headBytes)
            switch element.kind {
            case .parent: continue
            case .other: break
            case .cluster:
                guard element.byteCount <= LiveMatroskaReader.clusterBytesMaximum,
                    element.byteCount <= size - position
                else { return }
                let content = try read(file, Int(element.byteCount), at: position)
                guard let frames = LiveMatroskaReader.frames(in: content) else { return }
                for frame in frames {
                    try body(
                        Frame(
                            time: frame.time, isKeyframe: frame.isKeyframe,
                            bytes: content[frame.range]))
                }
            }
            let (next, overflow) = position.addingReportingOverflow(element.byteCount)
            guard !overflow else { return }
            position = next
        }
    }

    private func read(
        _ file: Int32, _ count: Int, at position: UInt64
    ) throws(RecordingError) -> [UInt8] {
        guard lseek(file, Int(position), SEEK_SET) >= 0 else { throw .failed("seek", path) }
        return try StreamFolder.read(file, path, first: count)
    }
}
