import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore

/// The pages `/`, `/recordings`, `/rooms/<id>`, `/watch/<id>` and `/embed/<id>`, their files under
/// `/assets/`, and the control API's description, `/openapi.yaml`.
struct PageRoutes: Sendable {
    let files: WebFiles
    /// The configured address of hls.js.
    let hlsScriptURL: String?
    /// The server's public address: streams have it, whatever name a page was opened with.
    let publicURL: String?
    /// The other servers that players fetch from.
    let mediaURLs: [String]
    /// The other places from which pages load images of people, as in `img-src`.
    let imageSources: [String]
    /// Where `/embed/<id>` may be framed, as in `frame-ancestors`; nowhere if empty.
    let embedders: [String]

    func add(to router: Router<some RequestContext>) {
        for (path, name) in [("/", "index.html"), ("/recordings", "recordings.html")] {
            router.get(RouterPath(path)) { request, _ in try page(name, request) }
        }
        for (path, name) in [("/rooms/:room", "room.html"), ("/watch/:room", "watch.html")] {
            router.get(RouterPath(path)) { request, context in
                try Self.checkRoom(of: context)
                return try page(name, request)
            }
        }
        router.get("/embed/:room") { request, context in
            try Self.checkRoom(of: context)
            return try page(
                "embed.html", request,
                ancestors: embedders.isEmpty ? "'none'" : embedders.joined(separator: " "),
                devices: "()")
        }
        router.get("/assets/**") { request, context in
            let path = context.parameters.getCatchAll().joined(separator: "/")
            return try file("assets/\(path)", request)
        }
        router.get("/favicon.ico") { request, _ in try file("assets/favicon.ico", request) }
        router.get("/openapi.yaml") { request, _ in try file("openapi.yaml", request) }
    }

    private static func checkRoom(of context: some RequestContext) throws(APIError) {
        guard RoomID.isValid(context.parameters.get("room") ?? "") else {
            throw APIError.notFound("no such room")
        }
    }

    /// - Parameters:
    ///   - ancestors: the origins that may frame the page.
    ///   - devices: who may use camera, microphone and screen.
    private func page(
        _ name: String, _ request: Request, ancestors: String = "'none'", devices: String = "(self)"
    ) throws -> Response {
        var response = try file(name, request)
        response.headers[.contentSecurityPolicy] =
            contentSecurityPolicy + "; frame-ancestors \(ancestors)"
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"),
            (
                "Permissions-Policy",
                "camera=\(devices), microphone=\(devices), display-capture=\(devices), "
                    + "geolocation=()"
            ),
        ] {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }

    private func file(_ path: String, _ request: Request) throws -> Response {
        guard let file = files[path] else { throw APIError.notFound("no such page") }
        var headers: HTTPFields = [
            .contentType: file.mediaType, .eTag: file.entityTag,
            // Revalidated at each load: a page and its modules always belong together.
            .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
        ]
        switch Preconditions(request.head, tag: file.entityTag).verdict {
        case .holds: break
        case .notModified: return Response(status: .notModified, headers: headers)
        case .failed: throw APIError.preconditionFailed()
        }
        headers[.contentLength] = String(file.bytes.count)
        return Response(
            status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }

    /// Allows everything from this server, media from blobs (MSE), sockets to anywhere (`/init`
    /// gives the WebSocket's address), scripts from the origin of hls.js, media from the server's
    /// public name and the operator's other media servers, and images from the hosts that may have
    /// those of people. Without `frame-ancestors`.
    private var contentSecurityPolicy: String {
        let script = hlsScriptURL.flatMap(Self.origin).map { " \($0)" } ?? ""
        let mediaURLs = [publicURL].compactMap { $0 } + mediaURLs
        let media = mediaURLs.compactMap(Self.origin).map { " \($0)" }.joined()
        let images = imageSources.map { " \($0)" }.joined()
        return [
            "default-src 'self'", "script-src 'self'\(script)", "style-src 'self'",
            "img-src 'self' data: blob:\(images)", "media-src 'self' blob:\(media)",
            "connect-src 'self' ws: wss:\(media)", "worker-src 'self' blob:", "object-src 'none'",
            "base-uri 'none'", "form-action 'self'",
        ].joined(separator: "; ")
    }

    /// `https://host[:port]` of a URL; nil for a path on this server.
    static func origin(_ url: String) -> String? {
        guard let url = HTTPURL(url) else { return nil }
        let isPlain = url.authority.utf8.allSatisfy {
            $0.isWord || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
        }
        return isPlain ? url.origin : nil
    }
}
