import Glibc
import HLS
import MediaKernel
import Recording

/// The files of a layer's parts, which only players at the live edge fetch: each is written whole
/// and renamed into place, and removed when enough of the layer has come after it.
///
/// A part's name is not used again for other content, which caches would not notice: what a dead
/// bot has left of its last segment becomes a segment (``UnfinishedSegment``).
struct PartFiles {
    /// How many target durations come after a part before it is removed. Playlists list the parts
    /// of the last three or four; the rest is for players that lag.
    static let keptTargets = 6
    /// Of a part that is read back: half a second of 100 Mbit/s, ten times over.
    private static let bytesMaximum = 64 << 20
    private static let prefix = "part_"

    private let directory: String
    /// Frames.
    private let kept: Int64
    /// The files that are there, oldest first, and which frame follows each; frames count from the
    /// beginning of this run, without those left out.
    private var files: [(name: String, end: Int64)] = []
    private var end: Int64 = 0
    /// The next part's number in its segment.
    private(set) var next = 0

    /// - Parameter directory: of the layer; must exist. Parts in it are of an earlier run.
    init(in directory: String, planner: SegmentPlanner) {
        self.directory = directory
        kept = Int64(Self.keptTargets * planner.targetDuration * planner.frameRate)
    }

    static func name(segment: Int, part: Int) -> String {
        "\(prefix)\(paddedDecimal(Int64(segment), digits: 6))_\(part).m4s"
    }

    /// - Returns: the file's name.
    mutating func write(
        _ bytes: [UInt8], segment: Int, frames: Int
    ) throws(PipelineError) -> String {
        let name = Self.name(segment: segment, part: next)
        try AtomicFile.write(bytes, to: name, in: directory)
        next += 1
        end += Int64(frames)
        files.append((name, end))
        while let oldest = files.first, oldest.end + kept <= end {
            unlink("\(directory)/\(oldest.name)")
            files.removeFirst()
        }
        return name
    }

    /// The next part begins a segment.
    mutating func endSegment() { next = 0 }

    /// Takes over the parts of an earlier run, except those of the segment that it left unfinished.
    ///
    /// - Parameter segment: its number.
    mutating func takeOver(before segment: Int) {
        for name in Self.names(in: directory) {
            if let number = Self.segment(of: name), number < segment {
                files.append((name, 0))
            } else {
                unlink("\(directory)/\(name)")
            }
        }
    }

    /// How many parts of a segment there are, without a gap from its first.
    static func count(ofSegment segment: Int, in directory: String) -> Int {
        var count = 0
        while StreamFolder.isThere("\(directory)/\(name(segment: segment, part: count))") {
            count += 1
        }
        return count
    }

    /// The first parts of a segment, one after the other.
    static func bytes(
        ofParts count: Int, ofSegment segment: Int, in directory: String
    ) throws(PipelineError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(RecordingError) {
            for part in 0..<count {
                bytes += try StreamFolder.read(
                    "\(directory)/\(name(segment: segment, part: part))", maximum: bytesMaximum)
            }
        } catch {
            throw PipelineError(error)
        }
        return bytes
    }

    private static func segment(of name: String) -> Int? {
        name.dropFirst(prefix.count).split(separator: "_").first.flatMap { Int($0) }
    }

    private static func names(in directory: String) -> [String] {
        guard let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(prefix) { names.append(name) }
        }
        return names.sorted()
    }
}
