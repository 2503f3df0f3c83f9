import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import NIOPosix
import Signing

/// Serves the output directory under `/hls/`: playlists, which change, and segments, which do
/// not.
///
/// Players revalidate a playlist at every reload, with an entity tag and gzip; they may keep a
/// segment for a year and fetch it in parts. Both are public (CORS `*`), except those of a stream
/// with signed addresses: then only that address works, until it expires.
struct Origin: Sendable {
    /// Read from disk and kept in memory at a time, for each response in progress with a file that
    /// is not kept as a whole.
    static let chunkBytes = 256 * 1024

    let root: String
    /// Answers for the low-latency streams on air.
    let edges: LiveEdges?
    /// Shared with the connections; nil to keep nothing.
    let recent: RecentFiles?
    let census: ViewerCensus
    private let key: SigningKey
    let clock: @Sendable () -> UnixTime
    let dates = HTTPDateCache()
    private let cache = PlaylistCache()
    private let reads = SharedReads<RecentFiles.Content>()
    private let threads = NIOThreadPool.singleton

    /// - Parameters:
    ///   - census: counts the viewers.
    ///   - key: signs addresses.
    ///   - clock: the wall clock for their expiry.
    init(
        root: String, edges: LiveEdges? = nil, recent: RecentFiles? = nil,
        census: ViewerCensus, key: SigningKey,
        clock: @escaping @Sendable () -> UnixTime
    ) {
        self.root = root
        self.edges = edges
        self.recent = recent
        self.census = census
        self.key = key
        self.clock = clock
    }

    /// - Parameters:
    ///   - encodedPath: the path after `/hls/`, still percent-encoded.
    ///   - channel: the request's connection. Nobody waits longer than that.
    func respond(
        to request: Request, encodedPath: some StringProtocol, on channel: (any Channel)? = nil
    ) async throws -> Response {
        guard let asked = OriginPath(encoded: encodedPath) else { throw Self.notFound }
        let now = clock()
        let (path, expiry) = try verified(asked, at: now)
        let caching = EdgeCaching(expiry: expiry, now: now)
        if let answer = try await live(path, request, caching, on: channel) {
            census.answered(request.head, for: path.joined, from: channel?.remoteAddress)
            return answer
        }
        let isGzip =
            path.kind == .playlist
            && AcceptEncoding.allowsGzip(request.headers[values: .acceptEncoding])
        let moment = recent?.now
        let opened = try await threads.runIfActive { [self] in OriginFile.open(path, in: root) }
        guard let file = opened else { throw Self.notFound }
        census.answered(request.head, for: path.joined, from: channel?.remoteAddress)
        let name = RecentFiles.name(path.joined, isGzip: isGzip)
        if let moment, try isShared(file, kind: path.kind, request.head) {
            let content = await shared(
                file, kind: path.kind, isGzip: isGzip, named: name, since: moment)
            if let content {
                return Response(try Self.response(with: content, request.head, caching))
            }
        }
        guard path.kind.isImmutable else {
            return try await playlist(
                file, kind: path.kind, request: request,
                caching: expiry == nil ? "no-cache" : "private, no-cache")
        }
        return try Self.segment(file, kind: path.kind, request: request, caching: caching.ofFiles)
    }

    /// Whether a file is read as a whole, for this viewer and the next ones: not a long one, and not
    /// for a part of it or less.
    ///
    /// - Throws: 412.
    private func isShared(
        _ file: OriginFile, kind: OriginPath.Kind, _ request: HTTPRequest
    ) throws(APIError) -> Bool {
        guard kind.isImmutable else {
            return file.byteCount <= Int64(RecentFiles.textBytesMaximum)
        }
        guard file.byteCount <= Int64(RecentFiles.fileBytesMaximum), request.method == .get else {
            return false
        }
        let headers = Self.headers(kind: kind, tag: "\"\(file.entityTag)\"")
        let answer = try Ranged(
            headers, request, modified: file.modified, length: file.byteCount)
        return answer.status == .ok
    }

    /// A file's content, which is read once for all who want it at the same time.
    ///
    /// - Parameters:
    ///   - name: of the content.
    ///   - moment: before the file was opened.
    /// - Returns: nil if it cannot be read, or as many are in memory as may be.
    private func shared(
        _ file: OriginFile, kind: OriginPath.Kind, isGzip: Bool, named name: String,
        since moment: RecentFiles.Moment
    ) async -> RecentFiles.Content? {
        guard let recent else { return nil }
        let tag = EdgeText.tag(file.entityTag, isGzip: isGzip)
        if let old = recent.latest(name), old.tag == tag {
            recent.keep(old, named: name, modified: file.modified, since: moment)
            return old
        }
        let threads = threads
        return await reads.value(name + tag) {
            let read = try? await threads.runIfActive { () -> RecentFiles.Content? in
                guard kind.isImmutable else {
                    return file.read(at: 0, count: Int(file.byteCount)).map {
                        .text(
                            EdgeText(
                                plain: $0, isGzip: isGzip, tag: file.entityTag, in: recent.held))
                    }
                }
                // Here, so that at most one file for each thread is beyond the limit.
                guard !recent.held.isFull else { return nil }
                return EdgeFile(
                    reading: file, kind: kind, maximum: RecentFiles.fileBytesMaximum,
                    in: recent.held
                ).map { .file($0) }
            }
            guard let content = read ?? nil else { return nil }
            recent.keep(content, named: name, modified: file.modified, since: moment)
            return content
        }
    }

    /// The file's path, and when the address expires; nil for never. A link replaces the stream's
    /// id, in `<room>/<link>/…`, and leads to a directory that cannot be reached otherwise.
    func verified(
        _ path: OriginPath, at now: UnixTime
    ) throws(APIError) -> (path: OriginPath, expiry: UnixTime?) {
        guard path.components.count > 2, path.components[1].contains(".") else {
            return (path, nil)
        }
        do throws(AssetLink.Refusal) {
            let link = try AssetLink(verifying: path.components[1], with: key, at: now)
            return (path.hiding(link.asset, at: 1), link.expiry)
        } catch {
            // A stream's id has no dot, so a malformed link is simply not found.
            throw error == .malformed ? Self.notFound : Self.withCORS(.refusedLink(error))
        }
    }

    /// A segment may be kept while its address is valid, and only in the client's own cache.
    static func caching(until expiry: UnixTime?, at now: UnixTime) -> String {
        expiry.map { "private, max-age=\(max(0, $0.seconds - now.seconds))" }
            ?? "public, max-age=31536000, immutable"
    }

    /// The answer to a CORS preflight, which most additions of players to their requests cause.
    static func preflight() -> Response {
        var headers = corsHeaders
        headers[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
        headers[.accessControlAllowHeaders] = allowedHeaders.joined(separator: ", ")
        headers[.accessControlMaxAge] = "86400"
        return Response(status: .noContent, headers: headers)
    }

    /// Headers seen from players and in their configurations: ranges and conditions, reports about
    /// themselves (CTA-5004, Apple's session id), and some that the server never reads.
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

    /// An immutable file, or the requested part of it.
    ///
    /// - Parameter headers: including its entity tag.
    static func ranged(
        _ file: OriginFile, _ headers: HTTPFields, _ request: Request
    ) throws(APIError) -> Response {
        let answer = try Ranged(
            rangeHeaders(headers, modified: file.modified), request.head,
            modified: file.modified, length: file.byteCount)
        guard let range = answer.range else {
            return Response(status: answer.status, headers: answer.headers)
        }
        return body(of: file, range: range, answer.status, answer.headers)
    }

    static func rangeHeaders(_ headers: HTTPFields, modified: UnixTime) -> HTTPFields {
        var headers = headers
        headers[.acceptRanges] = "bytes"
        headers[.lastModified] = HTTPDate.text(modified)
        return headers
    }

    private func playlist(
        _ file: OriginFile, kind: OriginPath.Kind, request: Request, caching: String
    ) async throws -> Response {
        let isGzip =
            AcceptEncoding.allowsGzip(request.headers[values: .acceptEncoding])
            && file.byteCount <= Gzip.inputBytesMaximum
        let tag = EdgeText.tag(file.entityTag, isGzip: isGzip)
        var headers = Self.headers(kind: kind, tag: tag)
        headers[.cacheControl] = caching
        headers[.vary] = "Accept-Encoding"
        if isGzip { headers[.contentEncoding] = "gzip" }
        guard try Self.isWanted(Preconditions(request.head, tag: tag)) else {
            return Response(status: .notModified, headers: headers)
        }
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

    /// Whether the client has another version.
    ///
    /// - Throws: when a condition does not hold.
    static func isWanted(_ conditions: Preconditions) throws(APIError) -> Bool {
        switch conditions.verdict {
        case .holds: return true
        case .notModified: return false
        case .failed: throw withCORS(.preconditionFailed())
        }
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
                // The length has already been sent: only breaking off can signal the failure.
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

    /// - Parameter tag: nil for content that must not be cached.
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

/// RFC 9110 sect. 12.5.3, for gzip only.
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
