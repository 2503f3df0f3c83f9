import Catalogue
import HTTPTypes
import Hummingbird
import Logging
import MediaKernel
import Rooms
import Tokens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `POST /v2/token`: trades a room code for a room token. 100ms' clients call it from pages of any
/// site, without a token of their own, hence CORS.
struct TokenRoute: Sendable {
    let catalogue: Catalogue
    let gateway: any SignallingGateway
    let authority: TokenAuthority
    var gate = GuessGate()
    let clock: @Sendable () -> UnixTime

    /// How long the holder of such a token may join and rejoin the room.
    static let lifetime: Duration = .seconds(86_400)

    func add(to router: Router<some RemoteAddressRequestContext>) {
        router.post("/v2/token") { request, context in
            var response: Response
            do {
                let caller = GuessGate.caller(
                    of: request.headers, from: context.remoteAddress)
                response = JSON.response(try await body(for: request, from: caller))
            } catch let error as APIError {
                response = error.answer
            } catch let error as CatalogueError {
                context.logger.error("room code not looked up", metadata: ["error": "\(error)"])
                response = APIError(error).answer
            }
            response.headers.append(contentsOf: CrossOrigin.headers)
            return response
        }
        router.on("/v2/token", method: .options) { _, _ in CrossOrigin.preflight("POST") }
    }

    private struct Order: RequestBody {
        /// 100ms' clients of all versions call this with fields that cannot all be known.
        static let fields = BodyFields(CodingKeys.self, others: .ignored)

        var code: String
        var userID: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case code
            case userID = "user_id"
        }
    }

    private struct Body: Encodable {
        var token: String
        var expiresAt: String

        enum CodingKeys: String, CodingKey {
            case token, expiresAt
            case expiresAtInSnakeCase = "expires_at"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(token, forKey: .token)
            // 100ms' Android client reads one, others the other.
            try container.encode(expiresAt, forKey: .expiresAt)
            try container.encode(expiresAt, forKey: .expiresAtInSnakeCase)
        }
    }

    private func body(
        for request: Request, from caller: GuessGate.Caller
    ) async throws -> Body {
        let order = try await JSON.decode(Order.self, from: request)
        let user = order.userID ?? UUID().uuidString.lowercased()
        guard (1...Limits.userIDCharacters).contains(user.utf8.count) else {
            throw APIError.badRequest(
                "user_id is not valid", "1 to \(Limits.userIDCharacters) bytes")
        }
        guard gate.isOpen(to: caller) else {
            throw APIError.tooManyRequests(
                "at most \(Limits.guessesPerSecond) unknown room codes a second")
        }
        guard let known = try await knownCode(order.code) else {
            gate.failed(caller)
            throw APIError.notFound("room code not found")
        }
        let code = try await usable(known)
        let now = clock()
        return Body(
            token: try authority.makeRoomToken(
                room: code.room, user: user, role: code.role, at: now, lifetime: Self.lifetime),
            expiresAt: (UnixTime(seconds: now.seconds) + Self.lifetime).description)
    }

    private func knownCode(_ text: String) async throws -> RoomCode? {
        guard Limits.isIdentifier(text) else { return nil }
        return try await catalogue.roomCode(text)
    }

    private func usable(_ code: RoomCode) async throws -> RoomCode {
        guard code.isEnabled else { throw APIError.roomCodeDisabled() }
        guard try await catalogue.knownRoom(code.room).isEnabled else {
            throw APIError.roomDisabled(code.room)
        }
        let roles = try await gateway.policy(of: code.room).visibleRoleNames
        guard roles.contains(code.role) else {
            throw APIError.roleGone(code.role)
        }
        return code
    }
}
