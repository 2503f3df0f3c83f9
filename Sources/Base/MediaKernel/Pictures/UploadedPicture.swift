/// A picture that somebody has uploaded to the server. Layouts name it `picture:` and the 32
/// hexadecimal digits of its file's name, which are the beginning of the file's SHA-256.
public struct UploadedPicture: Hashable, Sendable {
    /// The file's name.
    public let name: String

    /// As layouts name it.
    public var text: String { Self.scheme + name }

    private static let scheme = "picture:"
    private static let digits = 32

    /// Nil for a text that names none, such as the address of a picture elsewhere.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        self.init(name: String(text.dropFirst(Self.scheme.count)))
    }

    /// Nil for what cannot be the name of such a file.
    public init?(name: String) {
        guard name.utf8.count == Self.digits,
            name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.name = name
    }

    /// - Parameter hash: SHA-256 of the file, of which half is used; nil if it is shorter.
    public init?(hash: [UInt8]) {
        guard hash.count >= Self.digits / 2 else { return nil }
        name = Hexadecimal.text(hash.prefix(Self.digits / 2))
    }

    /// Of the files; hidden, so that the origin does not serve it.
    ///
    /// - Parameter streams: the directory of all streams.
    public static func directory(in streams: String) -> String { "\(streams)/.pictures" }
}
