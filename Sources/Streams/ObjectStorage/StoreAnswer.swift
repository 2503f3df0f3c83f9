/// A store's answer to a request.
public struct StoreAnswer: Hashable, Sendable {
    /// The server reads only short answers; a list of uploads is the longest.
    public static let bodyBytesMaximum = 1 << 20
    /// In characters, for code and message.
    private static let codeMaximum = 60
    private static let messageMaximum = 300
    /// An error is the whole body, after at most an XML declaration.
    private static let errorBytesMaximum = 16 << 10

    public var status: Int
    public var headers: [StoreRequest.Field]
    /// XML in UTF-8, or nothing.
    public var body: [UInt8]

    public init(status: Int, headers: [StoreRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The store did what was asked. For a long assembly of parts, the store answers 200 before the
    /// result is known; the body may then be an error.
    public var isSuccess: Bool { (200..<300).contains(status) && error == nil }

    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// From the answer to CreateMultipartUpload.
    public var uploadID: String? {
        XMLText.first("UploadId", in: body[...]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// From the answer to ListMultipartUploads: the uploads to exactly this key.
    public func uploadIDs(to key: String) -> [String] {
        XMLText.elements(of: "Upload", in: body[...]).filter {
            XMLText.values(of: "Key", in: $0) == [key]
        }.compactMap { XMLText.first("UploadId", in: $0) }
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
    /// body.
    public var mayRefuseChecksums: Bool {
        guard status == 400 || status == 501 else { return false }
        switch code {
        case nil: return body.isEmpty || status == 501
        case "InvalidArgument", "InvalidRequest", "NotImplemented", "MalformedXML": return true
        default: return message?.lowercased().contains("checksum") ?? false
        }
    }

    /// S3's error code, e.g. `AccessDenied`.
    public var code: String? { error.flatMap { XMLText.first("Code", in: $0) } }

    /// The store's description of the error.
    public var message: String? { error.flatMap { XMLText.first("Message", in: $0) } }

    /// For the operator: `403 AccessDenied: the bucket is read-only`. The store's text is truncated
    /// and has no line breaks.
    public var reason: String {
        guard let code else { return String(status) }
        let said = "\(status) \(Self.shown(code, Self.codeMaximum))"
        guard let message, !message.isEmpty else { return said }
        return "\(said): \(Self.shown(message, Self.messageMaximum))"
    }

    private var error: ArraySlice<UInt8>? {
        XMLText.elements(of: "Error", in: body.prefix(Self.errorBytesMaximum), maximum: 1).first
    }

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
