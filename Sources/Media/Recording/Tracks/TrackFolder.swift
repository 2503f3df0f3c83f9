import Glibc
import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The recorded tracks of a stream as its bots write them: a Matroska file for each part of a track,
/// and `tracks.log`. Owned by one thread.
///
/// Each append is one `write`, so a killed process leaves whole clusters and lines.
public final class TrackFolder {
    /// In a stream's directory.
    public static let name = "tracks"
    public static let logName = "tracks.log"
    /// In bytes: a month of notes of a hundred tracks.
    static let logBytesMaximum = 1 << 30
    static let lineBytesMaximum = 64 << 10

    private final class OpenFile {
        let file: LineFile

        init(_ path: String) throws(RecordingError) { file = try LineFile(path) }
    }

    private let directory: String
    private let log: LineFile
    private var open: [Int: OpenFile] = [:]
    /// The first number of a track that no earlier bot has used.
    public let firstNumber: Int

    /// Opens the files of an earlier bot, or creates them.
    ///
    /// - Parameter stream: the stream's directory; must exist.
    /// - Throws: `.file`.
    public init(in stream: String) throws(RecordingError) {
        directory = "\(stream)/\(Self.name)"
        try AssetFile.makeDirectory(directory)
        log = try LineFile("\(directory)/\(Self.logName)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        firstNumber = (names.compactMap(Self.number).max() ?? -1) + 1
    }

    static func fileName(track: Int, part: Int) -> String { "\(track)-\(part).mkv" }

    private static func number(ofFile name: String) -> Int? {
        name.hasSuffix(".mkv") ? name.split(separator: "-").first.flatMap { Int($0) } : nil
    }

    /// - Parameter track: the recorder's number.
    /// - Throws: `.file`.
    public func carryOut(
        _ order: TrackRecorder.Order, track: Int
    ) throws(RecordingError) {
        switch order {
        case .begin(let file, let header):
            let new = try OpenFile("\(directory)/\(file)")
            open[track] = new
            try new.file.append(header)
        case .append(let bytes): try open[track]?.file.append(bytes)
        case .note(let entry): try note(entry)
        case .keyframeNeeded: break
        }
    }

    /// - Throws: `.file`.
    public func note(_ entry: TrackLogEntry) throws(RecordingError) {
        try log.append(log.separator + ChecksummedLine.closed(encoding: entry))
    }

    /// Nothing more comes of this track.
    public func close(track: Int) { open[track] = nil }

    /// The entries of the log that are whole, in their order.
    ///
    /// - Parameter stream: the stream's directory.
    /// - Throws: `.file`; not for a stream without recorded tracks.
    static func entries(in stream: String) throws(RecordingError) -> [TrackLogEntry] {
        let path = "\(stream)/\(name)/\(logName)"
        guard StreamFolder.isThere(path) else { return [] }
        var entries: [TrackLogEntry] = []
        try LineFile.read(path, maximum: logBytesMaximum, lineMaximum: lineBytesMaximum) { bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            if let entry = ChecksummedLine.value(TrackLogEntry.self, of: line) {
                entries.append(entry)
            }
        }
        return entries
    }
}
