import Digests
import MediaKernel
import NIOPosix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pictures that people have uploaded for backgrounds and watermarks: files named by their
/// content. The newest are kept; a picture that is uploaded again is new again.
struct PictureShelf: Sendable {
    /// The most pictures that are kept.
    static let picturesMaximum = 100

    /// The directory of all streams.
    let root: String
    var picturesMaximum = Self.picturesMaximum

    private var directory: String { UploadedPicture.directory(in: root) }

    /// Keeps a picture, and gives up the oldest if there are too many.
    ///
    /// - Throws: errors of files.
    func put(_ bytes: [UInt8], at now: UnixTime) async throws -> UploadedPicture {
        try await NIOThreadPool.singleton.runIfActive { try store(bytes, at: now) }
    }

    private func store(_ bytes: [UInt8], at now: UnixTime) throws -> UploadedPicture {
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
        giveUpOldest()
        return picture
    }

    /// Another upload may be giving up the same pictures at this moment: then they are gone.
    private func giveUpOldest() {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let names = files.filter { UploadedPicture(name: $0) != nil }
        guard names.count > picturesMaximum else { return }
        let dated = names.map { name in
            (name, OriginFile.open([name], in: directory)?.modified ?? UnixTime(nanoseconds: 0))
        }
        for (name, _) in dated.sorted(by: { $0.1 < $1.1 }).prefix(names.count - picturesMaximum) {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(name)")
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
