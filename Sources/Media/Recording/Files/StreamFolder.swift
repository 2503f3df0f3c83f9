import Glibc
import HLS
import MediaKernel

/// The output directory of one live stream, as its bots left it.
public struct StreamFolder: Hashable, Sendable {
    public let path: String

    public static let layersMaximum = Ladder.layersMaximum
    public static let masterName = "master.m3u8"
    /// The master playlist before it is published. Hidden, so that no origin serves it.
    public static let preparedMasterName = ".master.m3u8"
    public static let playlistName = "stream.m3u8"
    /// The media playlist of an unzipped recording, with segments as ranges of the archive.
    static let rangesName = "archive.m3u8"
    /// A segment of 20 s at 20 Mbit/s, ten times over.
    static let segmentBytesMaximum = 512 << 20
    public static let masterBytesMaximum = 1 << 20

    /// - Parameter path: absolute.
    public init(path: String) { self.path = path }

    public static func layerName(_ layer: Int) -> String { "stream_\(layer)" }

    /// The directory of a layer's fragments beside the transport stream.
    public static func besideLayerName(_ layer: Int) -> String { "cmaf_\(layer)" }

    /// The directory of a language's captions.
    public static func captionsName(_ language: String) -> String {
        "\(captionsPrefix)\(language)"
    }

    /// The directory of a language's captions for the fragments beside the transport stream.
    public static func besideCaptionsName(_ language: String) -> String {
        "\(besideCaptionsPrefix)\(language)"
    }

    static let captionsPrefix = "captions_"
    static let besideCaptionsPrefix = "cmaf_captions_"

    /// Of a layer's media playlist, relative to the master playlist.
    static func playlistPath(ofLayer layer: Int) -> String {
        "\(layerName(layer))/\(playlistName)"
    }

    /// The logs, best layer first; empty without a recording.
    ///
    /// - Throws: `.file`.
    public func logs() throws(RecordingError) -> [SegmentLog] {
        var logs: [SegmentLog] = []
        for layer in 0..<Self.layersMaximum {
            let path = "\(path)/\(Self.layerName(layer))/\(SegmentLog.fileName)"
            guard Self.isThere(path) else { break }
            logs.append(try SegmentLog(reading: path))
        }
        return logs
    }

    func segmentPath(_ record: SegmentRecord, layer: Int) -> String {
        "\(path)/\(Self.layerName(layer))/\(record.fileName)"
    }

    /// - Throws: `.damaged` unless the file has the recorded bytes.
    func segment(_ record: SegmentRecord, layer: Int) throws(RecordingError) -> [UInt8] {
        let bytes = try? Self.read(
            segmentPath(record, layer: layer), maximum: Self.segmentBytesMaximum)
        guard let bytes, record.matches(bytes) else {
            throw .damaged(layer: layer, segment: record.number)
        }
        return bytes
    }

    /// A segment's initialization section.
    ///
    /// - Throws: `.damaged` unless the file has the recorded bytes.
    func header(_ record: SegmentRecord, layer: Int) throws(RecordingError) -> [UInt8] {
        guard let name = record.headerName,
            let bytes = try? Self.read(
                "\(path)/\(Self.layerName(layer))/\(name)", maximum: FragmentHeader.bytesMaximum),
            CRC32.checksum(bytes) == record.header
        else { throw .damaged(layer: layer, segment: record.number) }
        return bytes
    }

    /// The bot's master playlist; its addresses are relative.
    ///
    /// A bot that was killed right after the first segments may not have published it; then the
    /// prepared one is used.
    ///
    /// - Throws: `.file`, with `EBADMSG` for a file that is no master playlist.
    func master() throws(RecordingError) -> MasterPlaylist {
        let published = "\(path)/\(Self.masterName)"
        let prepared = "\(path)/\(Self.preparedMasterName)"
        let file = Self.isThere(published) ? published : prepared
        let bytes = try Self.read(file, maximum: Self.masterBytesMaximum)
        do throws(PlaylistError) {
            return try MasterPlaylist(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .file(path: file, call: "parse", code: EBADMSG, reason: "\(error)")
        }
    }

    /// Whether a file of this name exists, or may exist but cannot be examined: reading it then
    /// gives the reason.
    ///
    /// Does not use access(2), which checks the user's rights without the process' capabilities.
    public static func isThere(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) != 0 else { return true }
        return errno != ENOENT && errno != ENOTDIR
    }

    /// - Throws: `.file`, with `EFBIG` for a file above the maximum.
    public static func read(_ path: String, maximum: Int) throws(RecordingError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .failed("stat", path) }
        let size = Int(status.st_size)
        guard size <= maximum else { throw .failed("read", path, code: EFBIG) }
        return try read(file, path, first: size)
    }

    /// The first `count` bytes, or all if there are fewer.
    ///
    /// - Throws: `.file`.
    public static func read(_ path: String, first count: Int) throws(RecordingError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("open", path) }
        defer { close(file) }
        return try read(file, path, first: count)
    }

    /// Up to `count` bytes, or all that there are.
    ///
    /// - Throws: `.file`.
    static func read(
        _ file: Int32, _ path: String, first count: Int
    ) throws(RecordingError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = Glibc.read(file, buffer.baseAddress.map { $0 + done }, count - done)
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                guard got > 0 else { break }
                done += got
            }
        }
        guard code == 0 else { throw .failed("read", path, code: code) }
        return bytes
    }
}
