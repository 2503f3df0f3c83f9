/// A kind of file with a picture that streams can show.
public enum PictureFormat: Hashable, Sendable, CaseIterable {
    case png, jpeg, webP, gif

    /// The largest file that is read, in bytes.
    public static let bytesMaximum = 4 << 20

    /// By the file's first bytes; nil for other files.
    public init?(of file: [UInt8]) {
        func holds(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            file.dropFirst(offset).starts(with: bytes)
        }
        if holds([0x89, 0x50, 0x4E, 0x47]) {
            self = .png
        } else if holds([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if holds(Array("RIFF".utf8)), holds(Array("WEBP".utf8), at: 8) {
            self = .webP
        } else if holds(Array("GIF8".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }

    /// As in `Content-Type`.
    public var mediaType: String {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .webP: "image/webp"
        case .gif: "image/gif"
        }
    }
}
