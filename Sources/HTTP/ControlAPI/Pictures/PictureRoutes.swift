import HTTPTypes
import Hummingbird
import Logging
import MediaKernel
import NIOCore
import Streams
import Tokens

/// Uploads of pictures for backgrounds and watermarks, and the pictures themselves. Whoever may
/// stream in a room may upload, and so may the control API; whoever knows a picture's name may see
/// it, as viewers of the stream do.
struct PictureRoutes: Sendable {
    let shelf: PictureShelf
    let control: any LiveStreamControl
    let peers: RoomPeerGuard
    let authority: TokenAuthority
    /// Of uploads, for each room; the control API is one more.
    var gate = GuessGate(rate: Limits.picturesPerSecond, burst: Limits.picturesBurst)
    let clock: @Sendable () -> UnixTime

    static let managedPath = "/v2/pictures"

    func add(to router: Router<some RequestContext>) {
        router.managed("\(Self.managedPath)", by: authority, clock: clock).post {
            request, context in
            try await keep(request, from: [], context.logger)
        }
        router.post("/api/rooms/:room/pictures") { request, context in
            let room = try RoomID(parameter: context.parameters.get("room"))
            try await peers.checkMayStream(request, in: room)
            return try await keep(request, from: Array(room.rawValue.utf8), context.logger)
        }
        router.get("/pictures/:name") { _, context in
            try await picture(context.parameters.get("name"))
        }
    }

    private struct Body: Encodable {
        var image: String
    }

    private func keep(
        _ request: Request, from caller: GuessGate.Caller, _ logger: Logger
    ) async throws -> Response {
        guard gate.pass(caller) else {
            throw APIError.tooManyRequests("too many pictures at a time; try again in a moment")
        }
        let buffer = try await RequestBytes.read(request, maximum: PictureFormat.bytesMaximum)
        let bytes = Array(buffer.readableBytesView)
        guard PictureFormat(of: bytes) != nil else { throw APIError.noPicture() }
        let picture: UploadedPicture
        do {
            picture = try await shelf.put(bytes, at: clock(), beside: control.picturesInUse)
        } catch {
            logger.error("a picture cannot be kept", metadata: ["error": "\(error)"])
            throw APIError.unavailable("the output directory cannot be used")
        }
        return JSON.response(Body(image: picture.text), status: .created)
    }

    private func picture(_ name: String?) async throws -> Response {
        guard let picture = name.flatMap({ UploadedPicture(name: $0) }),
            let bytes = try await shelf.content(of: picture),
            let format = PictureFormat(of: bytes)
        else { throw APIError.notFound("picture not found") }
        return Response(
            status: .ok,
            headers: [
                .contentType: format.mediaType, .xContentTypeOptions: "nosniff",
                .contentSecurityPolicy: "default-src 'none'; sandbox",
                // The name stands for the content.
                .cacheControl: "public, max-age=31536000, immutable",
            ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
