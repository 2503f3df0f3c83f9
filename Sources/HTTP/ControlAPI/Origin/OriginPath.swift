import MediaKernel

/// A checked path below a directory of media.
///
/// Only names that streams can make pass: components of `[A-Za-z0-9_.-]` that do not begin with a
/// dot, with a known extension at the end. That excludes `..`, NUL, backslashes, absolute paths and
/// hidden and temporary files, however they are encoded.
struct OriginPath: Hashable {
    enum Kind: String, CaseIterable {
        case playlist = "m3u8"
        case transportStream = "ts"
        case initialization = "mp4"
        case fragment = "m4s"
        case subtitles = "vtt"
        case sound = "m4a"
        case archive = "zip"
        case table = "csv"
        case picture = "jpg"
        case webm
        case ogg
        case document = "json"
        case subRip = "srt"
        case text = "txt"

        /// By the name's extension.
        init?(ofFile name: String) {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
            self.init(rawValue: String(name[name.index(after: dot)...]))
        }

        var mediaType: String {
            switch self {
            case .playlist: "application/vnd.apple.mpegurl"
            case .transportStream: "video/mp2t"
            case .initialization, .fragment: "video/mp4"
            case .subtitles: "text/vtt"
            case .sound: "audio/mp4"
            case .archive: "application/zip"
            case .table: "text/csv; charset=utf-8; header=present"
            case .picture: "image/jpeg"
            case .webm: "video/webm"
            case .ogg: "audio/ogg; codecs=opus"
            case .document: "application/json"
            case .subRip: "application/x-subrip"
            case .text: "text/plain; charset=utf-8"
            }
        }

        /// A playlist changes with every segment; everything else is written once.
        var isImmutable: Bool { self != .playlist }
    }

    /// The files of a live stream.
    static let streams: Set<Kind> = [
        .playlist, .transportStream, .initialization, .fragment, .subtitles,
    ]
    /// The files of an ended one.
    static let assets = streams.union([
        .sound, .archive, .table, .picture, .webm, .ogg, .document, .subRip,
        .text,
    ])

    static let componentsMaximum = 6
    static let componentBytesMaximum = 128

    let components: [String]
    let kind: Kind

    /// - Parameters:
    ///   - encoded: the path after `/hls/`, still percent-encoded.
    ///   - kinds: that may be served.
    init?(encoded: some StringProtocol, kinds: Set<Kind> = OriginPath.streams) {
        guard
            encoded.utf8.count <= Self.componentsMaximum * (Self.componentBytesMaximum + 1)
        else { return nil }
        var components: [String] = []
        for part in encoded.split(separator: "/", omittingEmptySubsequences: false) {
            guard let component = Self.decoded(part), Self.isServable(component),
                components.count < Self.componentsMaximum
            else { return nil }
            components.append(component)
        }
        guard let kind = components.last.flatMap({ Kind(ofFile: $0) }), kinds.contains(kind)
        else { return nil }
        self.components = components
        self.kind = kind
    }

    /// Another playlist in a directory below the root; nil in the root itself.
    func sibling(_ name: String) -> OriginPath? {
        guard components.count > 1 else { return nil }
        return OriginPath(components: components.dropLast() + [name], kind: .playlist)
    }

    /// The same path with a hidden directory in place of one component.
    func hiding(_ name: String, at index: Int) -> OriginPath {
        var components = components
        components[index] = ".\(name)"
        return OriginPath(components: components, kind: kind)
    }

    /// A stream's file.
    ///
    /// - Parameters:
    ///   - directory: the server's own, which may be hidden.
    ///   - name: checked like a request's.
    init?(directory: String, name: String) {
        guard Self.isServable(name), let kind = Kind(ofFile: name) else { return nil }
        self.init(components: directory.split(separator: "/").map(String.init) + [name], kind: kind)
    }

    /// The directory's path.
    var directory: String { components.dropLast().joined(separator: "/") }

    var joined: String { components.joined(separator: "/") }

    var name: String { components[components.count - 1] }

    private init(components: [String], kind: Kind) {
        self.components = components
        self.kind = kind
    }

    private static func isServable(_ component: String) -> Bool {
        guard (1...componentBytesMaximum).contains(component.utf8.count),
            component.utf8.first != UInt8(ascii: ".")
        else { return false }
        return component.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: ".") }
    }

    /// Decodes once. A path that is still encoded afterwards contains a `%` and is refused.
    private static func decoded(_ part: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                let low = rest.popFirst().flatMap(Hexadecimal.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
