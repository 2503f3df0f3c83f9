import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

/// Serves the output directory under `/hls/`: playlists, which change, and segments, which do
/// not.
///
/// A playlist is revalidated by every player at every reload, with an entity tag and gzip; a
/// segment may be kept for a year and can be fetched in parts. Anybody may read both (CORS `*`).
struct Origin: Sendable {
    /// Read from disk and kept in memory at a time, per response in progress.
    static let chunkBytes = 256 * 1024

    let root: String
    private let cache = PlaylistCache()
    private let threads = NIOThreadPool.singleton

    init(root: String) { self.root = root }

    /// - Parameter encodedPath: what follows `/hls/`, percent-encoded as it came.
    func respond(to request: Request, encodedPath: some StringProtocol) async throws -> Response {
        guard let path = OriginPath(encoded: encodedPath) else { throw Self.notFound }
        let root = root
        let found = try await threads.runIfActive { OriginFile.open(path, in: root) }
        guard let file = found else { throw Self.notFound }
        return path.kind.isImmutable
            ? Self.segment(file, kind: path.kind, request: request)
            : try await playlist(file, kind: path.kind, request: request)
    }

    /// The answer to a CORS preflight, which `Range` makes necessary.
    static func preflight() -> Response {
        var headers = corsHeaders
        headers[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
        headers[.accessControlAllowHeaders] = "Range, If-None-Match, If-Range"
        headers[.accessControlMaxAge] = "86400"
        return Response(status: .noContent, headers: headers)
    }

    private static func segment(
        _ file: OriginFile, kind: OriginPath.Kind, request: Request
    ) -> Response {
        var headers = headers(kind: kind, tag: "\"\(file.entityTag)\"")
        headers[.cacheControl] = "public, max-age=31536000, immutable"
        return ranged(file, headers, request)
    }

    /// A file that does not change, or the part of it that is asked for.
    ///
    /// - Parameter headers: with its entity tag.
    static func ranged(
        _ file: OriginFile, _ headers: HTTPFields, _ request: Request
    ) -> Response {
        let tag = headers[.eTag]
        var headers = headers
        headers[.acceptRanges] = "bytes"
        if let tag, matches(request.headers[.ifNoneMatch], tag) {
            return Response(status: .notModified, headers: headers)
        }
        // A part is only of use to somebody who holds the rest of the same version.
        let condition = request.headers[.ifRange]
        let range = condition == nil || condition == tag ? request.headers[.range] : nil
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

    private func playlist(
        _ file: OriginFile, kind: OriginPath.Kind, request: Request
    ) async throws -> Response {
        let isGzip =
            AcceptEncoding.allowsGzip(request.headers[values: .acceptEncoding])
            && file.byteCount <= Gzip.inputBytesMaximum
        let tag = isGzip ? "\"\(file.entityTag)-gz\"" : "\"\(file.entityTag)\""
        var headers = Self.headers(kind: kind, tag: tag)
        headers[.cacheControl] = "no-cache"
        headers[.vary] = "Accept-Encoding"
        if isGzip { headers[.contentEncoding] = "gzip" }
        if Self.matches(request.headers[.ifNoneMatch], tag) {
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

    /// RFC 9110 sect. 13.1.2: weak comparison over the list.
    static func matches(_ header: String?, _ tag: String) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { candidate in
            let text = candidate.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            let name = String(text)
            return name == "*" || name == tag || name == "W/\(tag)"
        }
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
