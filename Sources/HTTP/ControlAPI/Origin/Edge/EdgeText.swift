import HLS
import HTTPTypes
import NIOCore

/// One form of a playlist on air, made once for all viewers who want it.
final class EdgeText: Sendable {
    /// How a playlist differs between viewers.
    struct Form: Hashable, Sendable {
        var skip: ReloadRequest.Skip?
        var isGzip = false
    }

    /// How long an answer may be kept.
    enum Caching: Int, CaseIterable, Sendable {
        /// The newest playlist, whatever it is.
        case newest
        /// The answer to a request that named a segment: it stays right for a while.
        case named
        /// Of a signed address.
        case secret
    }

    let bytes: ByteBuffer
    let tag: String
    /// By their caching.
    private let wholes: [EdgeResponse]

    /// - Parameters:
    ///   - targetDuration: in seconds, how long the answer to a request for a segment may be kept.
    ///   - tag: without quotes.
    ///   - memory: counts the bytes for as long as anybody has them.
    convenience init(
        _ text: String, _ form: Form, tag: String, targetDuration: Int, in memory: EdgeMemory
    ) {
        self.init(
            plain: Array(text.utf8), isGzip: form.isGzip,
            tag: "\(tag)-\(form.skip?.rawValue ?? "")", targetDuration: targetDuration, in: memory)
    }

    /// - Parameter plain: the playlist.
    init(
        plain: [UInt8], isGzip: Bool, tag: String, targetDuration: Int = 0,
        in memory: EdgeMemory? = nil
    ) {
        let isGzip = isGzip && plain.count <= Gzip.inputBytesMaximum
        let bytes = ByteBuffer(bytes: isGzip ? Gzip.compressed(plain) : plain)
        self.bytes = bytes
        let hold = memory.map { MemoryHold(bytes.readableBytes, in: $0) }
        self.tag = Self.tag(tag, isGzip: isGzip)
        var headers = Origin.headers(kind: .playlist, tag: self.tag)
        headers[.vary] = "Accept-Encoding"
        headers[.contentLength] = String(bytes.readableBytes)
        if isGzip { headers[.contentEncoding] = "gzip" }
        wholes = Caching.allCases.map { caching in
            var headers = headers
            headers[.cacheControl] =
                switch caching {
                case .newest: "no-cache"
                case .named: "public, max-age=\(targetDuration)"
                case .secret: "private, no-cache"
                }
            return EdgeResponse(
                status: .ok, headers: headers, body: bytes, hold: hold, isShared: true)
        }
    }

    static func tag(_ tag: String, isGzip: Bool) -> String {
        isGzip ? "\"\(tag)-gz\"" : "\"\(tag)\""
    }

    /// The answer to whoever does not have it yet.
    func whole(_ caching: Caching) -> EdgeResponse { wholes[caching.rawValue] }
}
