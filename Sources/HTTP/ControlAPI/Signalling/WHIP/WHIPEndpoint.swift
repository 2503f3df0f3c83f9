import HTTPTypes
public import Hummingbird
import MediaKernel
import Rooms
import Tokens

/// `/whip/<room>`: clients that publish, such as OBS, GStreamer and FFmpeg (RFC 9725).
/// `/whep/<room>`: clients that play (draft-ietf-wish-whep).
///
/// ```
/// POST   /whip/<room>                    the offer, with a room token as bearer
/// POST   /whip/<room>/<token>            the same, for clients in which one can only paste an address
/// PATCH  /whip/<room>/sessions/<id>      candidates, a restart of ICE, the answer to our own offer
/// DELETE /whip/<room>/sessions/<id>
/// ```
public struct WHIPEndpoint: SignallingEndpoint {
    private static let sdp = "application/sdp"
    private static let fragment = "application/trickle-ice-sdpfrag"

    public enum Purpose: Sendable {
        case publishing, playing

        var path: String {
            switch self {
            case .publishing: "/whip"
            case .playing: "/whep"
            }
        }

        /// The types of a `PATCH`. A player may be sent our own offer, and answers it.
        var patchTypes: [String] {
            switch self {
            case .publishing: [WHIPEndpoint.fragment]
            case .playing: [WHIPEndpoint.fragment, WHIPEndpoint.sdp]
            }
        }
    }

    private let purpose: Purpose
    private let gateway: any WHIPGateway

    public init(_ purpose: Purpose, gateway: any WHIPGateway) {
        self.purpose = purpose
        self.gateway = gateway
    }

    public func add(to router: Router<CallerContext>, with entry: EndpointEntry) {
        let base = "\(purpose.path)/:room"
        for path in [RouterPath(base), RouterPath("\(base)/:token")] {
            router.post(path) { request, context in
                await answer { () async throws(APIError) in
                    try await create(request, context, entry)
                }
            }
            // Shows whether the endpoint exists, and its kind. RFC 9725 sect. 4.2.
            router.get(path) { _, _ in
                await answer { Response(status: .ok, headers: [.contentType: Self.sdp]) }
            }
            router.on(path, method: .options) { request, context in
                await options(request, context, entry)
            }
        }
        let session = RouterPath("\(base)/sessions/:session")
        router.patch(session) { request, context in
            await answer { () async throws(APIError) in try await patch(request, context) }
        }
        router.delete(session) { _, context in
            await answer { () async throws(APIError) in
                let (room, id) = try Self.session(context)
                try await gateway.end(id, in: room)
                return Response(status: .ok)
            }
        }
        router.get(session) { _, _ in await answer { Response(status: .noContent) } }
        router.on(session, method: .options) { _, _ in Self.preflight(accepting: Self.fragment) }
    }

    // MARK: - Requests

    private func create(
        _ request: Request, _ context: CallerContext, _ entry: EndpointEntry
    ) async throws(APIError) -> Response {
        let claims = try await claims(request, context, entry)
        // A player that is to be offered what it receives sends nothing of any type.
        if purpose == .publishing || request.headers[.contentType] != nil {
            try Self.require(Self.sdp, of: request)
        }
        let offer = try await RequestText.read(
            request, maximum: Limits.descriptionBytes)
        let resource =
            switch purpose {
            case .publishing:
                try await gateway.publish(offer, by: WHIPRequest(request, claims: claims))
            case .playing:
                try await gateway.play(
                    offer, by: WHIPRequest(request, claims: claims), view: WHEPView(request))
            }
        var response = Self.described(
            resource, status: resource.isCounterOffer ? .notAcceptable : .created, type: Self.sdp)
        response.headers[.location] =
            entry.endpoints.base(for: request)
            + "\(purpose.path)/\(claims.room)/sessions/\(resource.id)"
        response.headers[.acceptPatch] = purpose.patchTypes.joined(separator: ", ")
        await addLinks(to: &response)
        return response
    }

    private func patch(
        _ request: Request, _ context: CallerContext
    ) async throws(APIError) -> Response {
        let (room, id) = try Self.session(context)
        if purpose.patchTypes.contains(Self.sdp), Self.type(of: request) == Self.sdp {
            try await gateway.admitAnswer(id, in: room)
            let answer = try await RequestText.read(request, maximum: Limits.descriptionBytes)
            try await gateway.answer(id, in: room, with: answer)
            return Response(status: .noContent)
        }
        try Self.require(Self.fragment, of: request)
        let fragment = try await RequestText.read(request, maximum: Limits.fragmentBytes)
        let resource = try await gateway.patch(
            id, in: room, with: fragment, ifMatch: request.headers[.ifMatch])
        guard let resource else { return Response(status: .noContent) }
        return Self.described(resource, status: .ok, type: Self.fragment)
    }

    /// The token is checked before the body is read.
    private func claims(
        _ request: Request, _ context: CallerContext, _ entry: EndpointEntry
    ) async throws(APIError) -> RoomTokenClaims {
        let room = try RoomID(parameter: context.parameters.get("room"))
        let token = context.parameters.get("token") ?? BearerToken.read(request)
        let claims = try await entry.tokens.claims(of: token, peer: nil)
        guard claims.room == room else { throw .otherRoom(claims.room) }
        return claims
    }

    private static func session(
        _ context: CallerContext
    ) throws(APIError) -> (room: RoomID, id: String) {
        let room = try RoomID(parameter: context.parameters.get("room"))
        guard let id = context.parameters.get("session"), id.utf8.count <= Limits.recordIDBytes
        else { throw .notFound("WHIP session not found") }
        return (room, id)
    }

    private static func require(_ type: String, of request: Request) throws(APIError) {
        guard Self.type(of: request) == type else { throw .unsupportedMediaType(wanted: type) }
    }

    /// Media types are compared without their parameters and case. RFC 9110 sect. 8.3.1.
    private static func type(of request: Request) -> String {
        (request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " } ?? "").lowercased()
    }

    // MARK: - Answers

    /// Pages of other sites may publish, so they must be able to read refusals too.
    private func answer(
        _ body: () async throws(APIError) -> Response
    ) async -> Response {
        var response: Response
        do {
            response = try await body()
        } catch {
            response = error.answer
        }
        response.headers.append(contentsOf: CrossOrigin.headers)
        response.headers[.accessControlExposeHeaders] = "Location, Link, ETag, Accept-Patch"
        return response
    }

    private static func described(
        _ resource: WHIPResource, status: HTTPResponse.Status, type: String
    ) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: type, .eTag: resource.entityTag, .cacheControl: "no-store",
            ], body: .init(byteBuffer: ByteBuffer(string: resource.body)))
    }

    private static func preflight(accepting type: String) -> Response {
        var response = CrossOrigin.preflight("GET, HEAD, POST, PATCH, DELETE")
        response.headers[.accessControlAllowHeaders] = "authorization, content-type, if-match"
        response.headers[.accessControlExposeHeaders] = "Location, Link, ETag, Accept-Patch"
        if type == Self.sdp { response.headers[.acceptPost] = type }
        if type == Self.fragment { response.headers[.acceptPatch] = type }
        return response
    }

    /// A browser's preflight has no token; a client with a token gets the ICE servers. RFC 9725
    /// sect. 4.6.
    private func options(
        _ request: Request, _ context: CallerContext, _ entry: EndpointEntry
    ) async -> Response {
        var response = Self.preflight(accepting: Self.sdp)
        if (try? await claims(request, context, entry)) != nil { await addLinks(to: &response) }
        return response
    }

    private func addLinks(to response: inout Response) async {
        for server in await gateway.iceServers() {
            for url in server.urls {
                var link = "<\(url)>; rel=\"ice-server\""
                if let username = server.username, let credential = server.credential {
                    link += "; username=\"\(username)\"; credential=\"\(credential)\""
                    link += "; credential-type=\"password\""
                }
                response.headers.append(HTTPField(name: .link, value: link))
            }
        }
    }
}

extension WHIPRequest {
    fileprivate init(_ request: Request, claims: RoomTokenClaims) {
        let parameters = request.uri.queryParameters
        self.init(
            claims: claims, name: parameters["name"].map(String.init),
            source: parameters["source"].map(String.init))
    }
}

extension WHEPView {
    /// `?peer=<id>`, `?view=screen`, or `?view=speaker`, the default.
    fileprivate init(_ request: Request) throws(APIError) {
        let parameters = request.uri.queryParameters
        if let peer = parameters["peer"] {
            guard Limits.isPeerID(peer) else { throw .badRequest("peer is not valid") }
            self = .peer(PeerID(String(peer)))
            return
        }
        switch parameters["view"] ?? "speaker" {
        case "screen": self = .screen
        case "speaker": self = .speaker
        case let other:
            throw .badRequest(
                "view is not valid", "it is '\(other.prefix(64))', not 'screen' or 'speaker'")
        }
    }
}

extension HTTPField.Name {
    // The literals are valid names.
    static let acceptPatch = HTTPField.Name("Accept-Patch")!
    static let acceptPost = HTTPField.Name("Accept-Post")!
    /// RFC 8288.
    static let link = HTTPField.Name("Link")!
}
