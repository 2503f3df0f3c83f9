import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import NIOPosix
import Signing

/// Serves the output directory under `/hls/`: playlists, which change, and segments, which do
/// not.
///
/// A playlist is revalidated by every player at every reload, with an entity tag and gzip; a
/// segment may be kept for a year and can be fetched in parts. Anybody may read both (CORS `*`),
/// unless the stream is one whose address is signed: then only by that address, until it expires.
struct Origin: Sendable {
    /// Read from disk and kept in memory at a time, per response in progress.
    static let chunkBytes = 256 * 1024

    let root: String
    private let key: SigningKey
    private let clock: @Sendable () -> UnixTime
    private let cache = PlaylistCache()
    private let threads = NIOThreadPool.singleton

    /// - Parameters:
    ///   - key: what addresses are signed with.
    ///   - clock: the wall clock, against which they expire.
    init(root: String, key: SigningKey, clock: @escaping @Sendable () -> UnixTime) {
        self.root = root
        self.key = key
        self.clock = clock
    }

    /// - Parameter encodedPath: what follows `/hls/`, percent-encoded as it came.
    func respond(to request: Request, encodedPath: some StringProtocol) async throws -> Response {
        guard let asked = OriginPath(encoded: encodedPath) else { throw Self.notFound }
        let now = clock()
        let (path, expiry) = try verified(asked, at: now)
        let root = root
        let found = try await threads.runIfActive { OriginFile.open(path, in: root) }
        guard let file = found else { throw Self.notFound }
        return path.kind.isImmutable
            ? try Self.segment(
                file, kind: path.kind, request: request,
                caching: Self.caching(until: expiry, at: now))
            : try await playlist(
                file, kind: path.kind, request: request,
                caching: expiry == nil ? "no-cache" : "private, no-cache")
    }

    /// Where what was asked for lies, and until when the address holds; nil for ever. A link stands
    /// for its stream, in `<room>/<link>/…`, and leads into a directory that has no other way in.
    private func verified(
        _ path: OriginPath, at now: UnixTime
    ) throws(APIError) -> (path: OriginPath, expiry: UnixTime?) {
        guard path.components.count > 2, path.components[1].contains(".") else {
            return (path, nil)
        }
        do throws(AssetLink.Refusal) {
            let link = try AssetLink(verifying: path.components[1], with: key, at: now)
            return (path.hiding(link.asset, at: 1), link.expiry)
        } catch {
            // A stream's id has no dot, so what is not of this form is nothing at all.
            throw error == .malformed ? Self.notFound : Self.withCORS(.refusedLink(error))
        }
    }

    /// For as long as an address holds, a segment may be kept, and by nobody but who has that.
    static func caching(until expiry: UnixTime?, at now: UnixTime) -> String {
        expiry.map { "private, max-age=\(max(0, $0.seconds - now.seconds))" }
            ?? "public, max-age=31536000, immutable"
    }

    /// The answer to a CORS preflight, which most of what players add to their requests makes
    /// necessary.
    static func preflight() -> Response {
        var headers = corsHeaders
        headers[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
        headers[.accessControlAllowHeaders] = allowedHeaders.joined(separator: ", ")
        headers[.accessControlMaxAge] = "86400"
        return Response(status: .noContent, headers: headers)
    }

    /// What has been seen of players and of those who configure them: parts and conditions, what
    /// they tell of themselves (CTA-5004, Apple's session id), and what none of ours reads.
    private static let allowedHeaders = [
        "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
        "If-Range", "Cache-Control", "Pragma", "Accept", "Content-Type", "Authorization", "Origin",
        "X-Requested-With", "X-Playback-Session-Id", "DNT", "CMCD-Object", "CMCD-Request",
        "CMCD-Session", "CMCD-Status",
    ]

    private static func segment(
        _ file: OriginFile, kind: OriginPath.Kind, request: Request, caching: String
    ) throws(APIError) -> Response {
        var headers = headers(kind: kind, tag: "\"\(file.entityTag)\"")
        headers[.cacheControl] = caching
        return try ranged(file, headers, request)
    }

    /// A file that does not change, or the part of it that is asked for.
    ///
    /// - Parameter headers: with its entity tag.
    static func ranged(
        _ file: OriginFile, _ headers: HTTPFields, _ request: Request
    ) throws(APIError) -> Response {
        var headers = headers
        headers[.acceptRanges] = "bytes"
        headers[.lastModified] = HTTPDate.text(file.modified)
        let conditions = Preconditions(
            request, tag: headers[.eTag] ?? "", modified: file.modified)
        if let answer = try answer(to: conditions, headers) { return answer }
        let range = conditions.range
        switch ByteRange(header: range, length: file.byteCount) {
        case .whole:
            return body(of: file, range: 0..<file.byteCount, .ok, headers)
        case .part(let range):
            headers[.contentRange] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)"
            return body(of: file, range: range, .partialContent, headers)
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.byteCount)"
            headers[.cacheControl] = "no-store"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
    }

    /// Nil when the conditions hold.
    private static func answer(
        to conditions: Preconditions, _ headers: HTTPFields
    ) throws(APIError) -> Response? {
        switch conditions.verdict {
        case .holds: return nil
        case .notModified: return Response(status: .notModified, headers: headers)
        case .failed: throw withCORS(.preconditionFailed())
        }
    }

    private func playlist(
        _ file: OriginFile, kind: OriginPath.Kind, request: Request, caching: String
    ) async throws -> Response {
        let isGzip =
            AcceptEncoding.allowsGzip(request.headers[values: .acceptEncoding])
            && file.byteCount <= Gzip.inputBytesMaximum
        let tag = isGzip ? "\"\(file.entityTag)-gz\"" : "\"\(file.entityTag)\""
        var headers = Self.headers(kind: kind, tag: tag)
        headers[.cacheControl] = caching
        headers[.vary] = "Accept-Encoding"
        if isGzip { headers[.contentEncoding] = "gzip" }
        let conditions = Preconditions(request, tag: tag)
        if let answer = try Self.answer(to: conditions, headers) { return answer }
        guard isGzip else {
            return Self.body(of: file, range: 0..<file.byteCount, .ok, headers)
        }
        let threads = threads
        let bytes = await cache.body(tag: file.entityTag) {
            let made = try? await threads.runIfActive {
                file.read(at: 0, count: Int(file.byteCount)).map { Gzip.compressed($0) }
            }
            return made ?? nil
        }
        guard let bytes else { throw Self.withCORS(.internal()) }
        headers[.contentLength] = String(bytes.count)
        return Response(
            status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func body(
        of file: OriginFile, range: Range<Int64>, _ status: HTTPResponse.Status,
        _ headers: HTTPFields
    ) -> Response {
        var headers = headers
        headers[.contentLength] = String(range.count)
        guard !range.isEmpty else { return Response(status: status, headers: headers) }
        let threads = NIOThreadPool.singleton
        let body = ResponseBody(contentLength: range.count) { writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let position = offset
                let count = min(Self.chunkBytes, Int(range.upperBound - offset))
                let chunk = try await threads.runIfActive { file.read(at: position, count: count) }
                // The length is promised by now: breaking off is the only honest way to fail.
                guard let chunk, chunk.count == count else { throw OriginReadError.truncated }
                try await writer.write(ByteBuffer(bytes: chunk))
                offset += Int64(count)
            }
            try await writer.finish(nil)
        }
        return Response(status: status, headers: headers, body: body)
    }

    static let notFound = withCORS(.notFound("no such file"))

    private static let corsHeaders: HTTPFields = [
        .accessControlAllowOrigin: "*",
        .accessControlExposeHeaders: "Content-Length, Content-Range, ETag, Date",
    ]

    /// - Parameter tag: nil for what is not kept by anybody.
    static func headers(kind: OriginPath.Kind, tag: String?) -> HTTPFields {
        var headers = corsHeaders
        headers[.contentType] = kind.mediaType
        headers[.eTag] = tag
        headers[.xContentTypeOptions] = "nosniff"
        return headers
    }

    /// Errors need CORS too: without it a player sees an opaque network failure.
    static func withCORS(_ error: APIError) -> APIError {
        var error = error
        error.headers.append(contentsOf: corsHeaders)
        return error
    }
}

/// The file became shorter while it was sent, or the device failed.
enum OriginReadError: Error { case truncated }

/// RFC 9110 sect. 12.5.3, for the one coding we make.
enum AcceptEncoding {
    static func allowsGzip(_ values: [String]) -> Bool {
        var wildcard: Bool?
        for item in values.joined(separator: ",").lowercased().split(separator: ",") {
            let parts = item.split(separator: ";")
                .map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let coding = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { $0.dropFirst(2) }
            let isWanted = quality.map { (Double($0) ?? 0) > 0 } ?? true
            if coding == "gzip" || coding == "x-gzip" { return isWanted }
            if coding == "*" { wildcard = isWanted }
        }
        return wildcard ?? false
    }
}
