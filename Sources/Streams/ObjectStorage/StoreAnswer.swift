internal import XML

/// A store's answer to a request.
public struct StoreAnswer: Hashable, Sendable {
    /// The server reads only short answers; a list of uploads is the longest.
    public static let bodyBytesMaximum = 1 << 20
    /// In characters, for code and message.
    private static let codeMaximum = 60
    private static let messageMaximum = 300
    /// S3 lists no more at a time.
    private static let uploadsMaximum = 1000
    /// In bytes of UTF-8.
    private static let uploadIDMaximum = 4096
    private static let limits = {
        var limits = XMLLimits()
        limits.stanzaBytes = bodyBytesMaximum
        return limits
    }()

    public let status: Int
    public let headers: [StoreRequest.Field]
    /// XML in UTF-8, or nothing.
    public let body: [UInt8]
    /// The body; nil if it is no XML, like a page of a proxy. Then the status tells all.
    private let element: XMLElement?

    public init(status: Int, headers: [StoreRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
        element = Self.element(body)
    }

    /// A store may send spaces while it assembles parts, perhaps before the XML.
    private static func element(_ body: [UInt8]) -> XMLElement? {
        let text = body.drop { $0 == 0x20 || 0x9...0xD ~= $0 }
        guard !text.isEmpty else { return nil }
        return try? XMLStreamReader.element(
            String(decoding: text, as: UTF8.self), limits: limits)
    }

    /// The store did what was asked. For a long assembly of parts, the store answers 200 before the
    /// result is known; the body may then be an error.
    public var isSuccess: Bool { (200..<300).contains(status) && error == nil }

    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// From the answer to CreateMultipartUpload.
    public var uploadID: String? { element.flatMap(Self.uploadID) }

    /// From the answer to ListMultipartUploads: the uploads to exactly this key.
    public func uploadIDs(to key: String) -> [String] {
        let uploads = (element?.elements ?? []).lazy.filter {
            $0.name == "Upload" && $0.text(of: "Key") == key
        }
        return uploads.compactMap(Self.uploadID).prefix(Self.uploadsMaximum).map(\.self)
    }

    private static func uploadID(in element: XMLElement) -> String? {
        element.text(of: "UploadId").flatMap {
            1...uploadIDMaximum ~= $0.utf8.count ? $0 : nil
        }
    }

    /// The failure to report to an upload when the answer is not a success.
    public var failure: MultipartUpload.Failure {
        switch code {
        case "NoSuchUpload": .uploadGone
        case "InvalidPart", "InvalidPartOrder": .partsRefused
        default: .unavailable
        }
    }

    /// Whether the store may have refused `x-amz-checksum-*`: Backblaze B2 answers "invalid
    /// argument", Cloudflare R2 and older stores answer "not implemented". An answer to HEAD has no
    /// body. The store's sentence decides nothing: that of `BadDigest` names a checksum too, and
    /// bytes that were damaged on their way must not be sent without one.
    public var mayRefuseChecksums: Bool {
        switch (status, code) {
        case (501, _): true
        case (400, nil): body.isEmpty
        case (400, "InvalidArgument"), (400, "InvalidRequest"), (400, "NotImplemented"),
            (400, "MalformedXML"):
            true
        default: false
        }
    }

    /// S3's error code, e.g. `AccessDenied`.
    public var code: String? { error?.text(of: "Code") }

    /// The store's description of the error.
    public var message: String? { error?.text(of: "Message") }

    /// For the operator: `403 AccessDenied: the bucket is read-only`. The store's text is truncated
    /// and has no line breaks.
    public var reason: String {
        guard let code else { return String(status) }
        let said = "\(status) \(Self.shown(code, Self.codeMaximum))"
        guard let message, !message.isEmpty else { return said }
        return "\(said): \(Self.shown(message, Self.messageMaximum))"
    }

    private var error: XMLElement? { element.flatMap { $0.name == "Error" ? $0 : nil } }

    private static func shown(_ text: String, _ maximum: Int) -> String {
        let line = text.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
                " "
            default: Character(scalar)
            }
        }
        let words = String(line).split(separator: " ").joined(separator: " ")
        return words.count > maximum ? "\(words.prefix(maximum))…" : words
    }
}

extension XMLElement {
    /// The text of the first child of that name. Stores differ in their namespaces.
    fileprivate func text(of name: String) -> String? {
        elements.first { $0.name == name }?.text
    }
}
