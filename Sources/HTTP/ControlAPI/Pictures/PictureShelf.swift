import Digests
import MediaKernel
import NIOPosix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pictures that people have uploaded for backgrounds and watermarks: files named by their
/// content. The newest are kept, and those in use; a picture that is uploaded again, or that a
/// stream begins to use, is new again.
struct PictureShelf: Sendable {
    /// The most pictures that are kept, unless more are in use.
    static let picturesMaximum = 100

    /// The directory of all streams.
    let root: String
    var picturesMaximum = Self.picturesMaximum

    private var directory: String { UploadedPicture.directory(in: root) }

    /// Keeps a picture, and gives up the oldest if there are too many.
    ///
    /// - Parameter used: the pictures that are kept though they are old.
    /// - Throws: errors of files.
    func put(
        _ bytes: [UInt8], at now: UnixTime, beside used: Set<UploadedPicture> = []
    ) async throws -> UploadedPicture {
        try await NIOThreadPool.singleton.runIfActive { try store(bytes, at: now, beside: used) }
    }

    private func store(
        _ bytes: [UInt8], at now: UnixTime, beside used: Set<UploadedPicture>
    ) throws -> UploadedPicture {
        // While the process ends, hashes are empty.
        guard let picture = UploadedPicture(hash: Digest.sha256.hash(bytes)) else {
            throw CancellationError()
        }
        let files = FileManager.default
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = "\(directory)/\(picture.name)"
        if OriginFile.open([picture.name], in: directory)?.byteCount != Int64(bytes.count) {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        try files.setAttributes([.modificationDate: date], ofItemAtPath: path)
        giveUpOldest(except: used)
        return picture
    }

    /// Another upload may be giving up the same pictures at this moment: then they are gone.
    private func giveUpOldest(except used: Set<UploadedPicture>) {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let kept = files.compactMap { UploadedPicture(name: $0) }
        guard kept.count > picturesMaximum else { return }
        let dated = kept.filter { !used.contains($0) }.map { picture in
            let file = OriginFile.open([picture.name], in: directory)
            return (picture, file?.modified ?? UnixTime(nanoseconds: 0))
        }
        let oldest = dated.sorted { $0.1 < $1.1 }.prefix(kept.count - picturesMaximum)
        for (picture, _) in oldest {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(picture.name)")
        }
    }

    /// Nil for a picture that is not kept, or not any more.
    func content(of picture: UploadedPicture) async throws -> [UInt8]? {
        try await NIOThreadPool.singleton.runIfActive {
            guard let file = OriginFile.open([picture.name], in: directory),
                file.byteCount <= PictureFormat.bytesMaximum
            else { return nil }
            return file.read(at: 0, count: Int(file.byteCount))
        }
    }
}
