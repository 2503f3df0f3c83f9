import HLS
import MediaKernel

/// A low-latency stream's files on the disk. All functions block.
struct EdgeDisk: Sendable {
    /// In seconds; no stream of ours has longer segments, and longer ones could not be computed with.
    static let targetDurationMaximum = 60

    enum ReadPlaylist {
        case read(MediaPlaylist)
        /// Perhaps only for a moment, in which there are no file descriptors.
        case unreadable
        /// No playlist, or none that a bot of ours writes.
        case unusable
    }

    let shape: LiveEdgeShape
    /// Of the output.
    let root: String
    /// Counts the files that were read.
    let memory: EdgeMemory

    /// - Returns: nil for a file that is longer than the maximum, or cannot be read.
    func file(_ name: String, of layer: Int, maximum: Int) -> EdgeFile? {
        guard let path = path(name, of: layer), let file = OriginFile.open(path, in: root) else {
            return nil
        }
        return EdgeFile(reading: file, kind: path.kind, maximum: maximum, in: memory)
    }

    /// - Parameter reader: of this layer's playlist.
    func playlist(of layer: Int, _ reader: inout PlaylistReader) -> ReadPlaylist {
        guard let path = path(LiveEdges.playlistName, of: layer),
            let file = OriginFile.open(path, in: root)
        else { return .unreadable }
        guard file.byteCount <= Int64(Gzip.inputBytesMaximum) else { return .unusable }
        guard let bytes = file.read(at: 0, count: Int(file.byteCount)) else { return .unreadable }
        guard let text = try? reader.read(bytes),
            text.targetDuration <= Self.targetDurationMaximum
        else { return .unusable }
        return .read(text)
    }

    private func path(_ name: String, of layer: Int) -> OriginPath? {
        OriginPath(directory: "\(shape.directory)/\(shape.layers[layer])", name: name)
    }
}
