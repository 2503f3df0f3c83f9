#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a store said to a request.
public struct StoreAnswer: Hashable, Sendable {
    /// Answers that are read are short; a list of uploads is the longest.
    public static let bodyBytesMaximum = 1 << 20

    public var status: Int
    public var headers: [StoreRequest.Field]
    /// XML, or nothing.
    public var body: String

    /// - Parameter body: read as UTF-8; what is none becomes U+FFFD.
    public init(status: Int, headers: [StoreRequest.Field] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = String(decoding: body, as: UTF8.self)
    }

    /// It did what was asked. An assembly of parts that takes long is answered with 200 before it
    /// is known how it ends; then the body is an error.
    public var isSuccess: Bool { (200..<300).contains(status) && !body.contains("<Error>") }

    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// Of CreateMultipartUpload.
    public var uploadID: String? {
        XMLText.values(of: "UploadId", in: body).first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Of ListMultipartUploads: those to exactly this key.
    public func uploadIDs(to key: String) -> [String] {
        XMLText.values(of: "Upload", in: body).filter {
            XMLText.values(of: "Key", in: $0) == [key]
        }.compactMap { XMLText.values(of: "UploadId", in: $0).first }
    }

    /// What an upload is told of an answer that is no success.
    public var failure: MultipartUpload.Failure {
        switch code {
        case "NoSuchUpload": .uploadGone
        case "InvalidPart", "InvalidPartOrder": .partsRefused
        default: .unavailable
        }
    }

    /// S3's word for an error, e.g. `AccessDenied`.
    public var code: String? { XMLText.values(of: "Code", in: body).first }

    /// For the operator: `403 AccessDenied`. The store's text is cut and has no line breaks.
    public var reason: String {
        guard let code else { return String(status) }
        return "\(status) \(code.prefix(60).filter { $0.isASCII && !$0.isNewline })"
    }
}
