import Foundation
import HTTPTypes
import Hummingbird
import MediaKernel
import NIOCore
import Streams

/// The pages `/`, `/recordings`, `/docs`, `/admin`, `/rooms/<id>`, `/watch/<id>`, `/embed/<id>` and
/// `/shared/<link>`, their files under `/assets/`, and the control API's description,
/// `/openapi.yaml` and `/openapi.json`.
struct PageRoutes: Sendable {
    let languages: Languages
    let heads: PageHeads
    let pictures: LivePictures
    let recordings: RecordingPageAPI
    let gateway: any SignallingGateway
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
        for (path, name) in [
            ("/", "index.html"), ("/recordings", "recordings.html"), ("/docs", "docs.html"),
            ("/admin", "admin.html"),
        ] {
            router.get(RouterPath(path)) { request, _ in try page(name, request) }
        }
        for place in ["rooms", "watch", "embed"] {
            router.get(RouterPath("/\(place)/:room")) { request, context in
                let name = context.parameters.get("room") ?? ""
                guard RoomID.isValid(name) else {
                    return try Self.otherWay(to: name, in: place, request)
                }
                return try await page(of: RoomID(name), in: place, request)
            }
        }
        router.get("/shared/:link") { request, context in
            let link = context.parameters.get("link") ?? ""
            let card = try await recordings.shared(link).card
            return try page(
                "shared.html", request, head: heads.recording(card, link: link, request))
        }
        router.get(RouterPath(Self.picturePath(in: ":room"))) { _, context in
            try await picture(of: try RoomID(parameter: context.parameters.get("room")))
        }
        router.get("/assets/**") { request, context in
            let path = context.parameters.getCatchAll().joined(separator: "/")
            return try file("assets/\(path)", request)
        }
        router.get("/favicon.ico") { request, _ in try file("assets/favicon.ico", request) }
        for name in ["openapi.yaml", "openapi.json"] {
            router.get("/\(name)") { request, _ in try file(name, request) }
        }
    }

    private func page(of room: RoomID, in place: String, _ request: Request) async throws
        -> Response
    {
        switch place {
        case "rooms":
            try await checkOpen(room, request)
            return try page("room.html", request, head: heads.room(room, request))
        case "watch":
            return try page("watch.html", request, head: await heads.watch(room, request))
        default:
            return try page(
                "embed.html", request, head: await heads.watch(room, request),
                ancestors: embedders.isEmpty ? "'none'" : embedders.joined(separator: " "),
                devices: "()")
        }
    }

    /// Below the page, so that a proxy that keeps strangers from one keeps them from both.
    static func picturePath(in room: String) -> String { "/watch/\(room)/picture.jpg" }

    /// What a room's stream shows, for programs that show links; the card if there is no picture.
    private func picture(of room: RoomID) async throws -> Response {
        let stream = try await heads.control.current(room: room, kind: .stream)
        guard let stream, let bytes = await pictures.picture(of: stream) else {
            return Response(
                status: .found,
                headers: [.location: PageHeads.cardPath, .cacheControl: "no-store"])
        }
        let seconds = Int(LivePictures.lifetime.inSeconds)
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/jpeg", .cacheControl: "public, max-age=\(seconds)",
                .xContentTypeOptions: "nosniff", .contentLength: "\(bytes.count)",
            ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Whoever has a token, or is no person, is told by the page itself.
    private func checkOpen(_ room: RoomID, _ request: Request) async throws(APIError) {
        let query = request.uri.queryParameters
        guard query["auth_token"] == nil, query["view"] == nil else { return }
        do throws(APIError) {
            try await gateway.checkOpen(room)
        } catch {
            guard error.status == .badRequest else { throw error }
            // The address names nothing, whatever clients of rooms are told.
            var missing = APIError(.notFound, error.message, details: error.details)
            missing.page = .unknownRoom
            throw missing
        }
    }

    /// The address of a room whose name is in characters that ids cannot have.
    private static func otherWay(
        to name: String, in place: String, _ request: Request
    ) throws -> Response {
        let name = name.removingPercentEncoding ?? name
        guard !name.utf8.allSatisfy({ $0 < 0x80 }), let room = RoomName.id(of: name) else {
            throw APIError(
                .notFound, "no such room", details: ["ids have up to 64 of A-Z, a-z, 0-9, - and _"],
                page: .unknownRoom)
        }
        let query = request.uri.query.map { "?\($0)" } ?? ""
        return Response(
            status: .temporaryRedirect, headers: [.location: "/\(place)/\(room)\(query)"])
    }

    /// - Parameters:
    ///   - head: what others may read of it; nil for a page that is the same for all addresses.
    ///   - ancestors: the origins that may frame the page.
    ///   - devices: who may use camera, microphone and screen.
    private func page(
        _ name: String, _ request: Request, head: PageHead? = nil, ancestors: String = "'none'",
        devices: String = "(self)"
    ) throws -> Response {
        let texts = languages.texts(for: request)
        guard var file = languages.page(name, in: texts) else {
            throw APIError.notFound("no such page")
        }
        if let head { file = WebFiles.File(head.put(into: file.bytes), mediaType: file.mediaType) }
        var response = try answer(
            file, request,
            headers: [.contentLanguage: texts.language, .vary: "Accept-Language"])
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

    private func file(_ path: String, _ request: Request) throws(APIError) -> Response {
        guard let file = languages.files[path] else { throw APIError.notFound("no such page") }
        return try answer(file, request)
    }

    private func answer(
        _ file: WebFiles.File, _ request: Request, headers: HTTPFields = [:]
    ) throws(APIError) -> Response {
        var headers = headers
        headers[.contentType] = file.mediaType
        headers[.eTag] = file.entityTag
        // Revalidated at each load: a page and its modules always belong together.
        headers[.cacheControl] = "no-cache"
        headers[.xContentTypeOptions] = "nosniff"
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
