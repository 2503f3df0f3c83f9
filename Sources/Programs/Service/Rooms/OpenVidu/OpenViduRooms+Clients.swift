import Clocks
import ControlAPI
import HTTPTypes
import HundredMS
import MediaKernel
import OpenVidu
import RoomHost
import Rooms
import Tokens

/// OpenVidu's clients join rooms as peers like any other.
extension OpenViduRooms: OpenViduGateway {
    private struct Place {
        let entrance: OpenViduEntrance
        let place: OpenViduPlace
    }

    func open(
        _ client: OpenViduClient, socket: WebSocketConnection, messages: WebSocketMessages
    ) async {
        var lobby = OpenViduLobby()
        var place: Place?
        let patience = Task {
            try await Task.sleep(for: OpenViduLimits.patience)
            socket.close(code: 1008, reason: "no joinRoom for too long")
        }
        defer { patience.cancel() }
        for await text in messages {
            if let place {
                await place.entrance.received(text, on: place.place)
                continue
            }
            switch lobby.received(text) {
            case .answer(let frame): _ = await socket.send(frame)
            case .join(let call): place = await join(call, client, over: socket)
            case .comeBack(let call): place = await comeBack(call, over: socket)
            case .ignore: break
            case .close(let code, let reason): socket.close(code: code, reason: reason)
            }
            if place != nil { patience.cancel() }
        }
        if let place { await place.entrance.closed(place.place) }
    }

    private func join(
        _ call: JoinCall, _ client: OpenViduClient, over socket: WebSocketConnection
    ) async -> Place? {
        let grant = door.change { $0.take(call.token.token, at: UnixTime.now) }
        var place: Place?
        do throws(APIError) {
            let (claims, caller) = try await admission(call, grant, client)
            let entrance = OpenViduEntrance(try await directory.admitted(claims))
            place = await entrance.join(
                call, by: caller, socket: ClientSocket(connection: socket)
            ).map { Place(entrance: entrance, place: $0) }
        } catch {
            _ = await socket.send(OpenViduLobby.refusal(OpenViduError(error), of: call))
        }
        if let grant {
            if place == nil {
                door.change { $0.giveBack(grant) }
            } else {
                door.change { $0.arrived(grant) }
            }
        }
        return place
    }

    /// Who the client is: by a token of the REST API, by the secret, or by a room token.
    private func admission(
        _ call: JoinCall, _ grant: OpenViduBook.Grant?, _ client: OpenViduClient
    ) async throws(APIError) -> (RoomTokenClaims, OpenViduCaller) {
        let relays = await relays()
        if let grant {
            let claims = try await claims(
                in: grant.room, as: grant.role, user: grant.connectionID, token: grant.token)
            let caller = OpenViduCaller(
                userID: claims.user, tokenID: claims.tokenID, role: claims.role, relays: relays,
                grant: grant)
            return (claims, caller)
        }
        let guesses = !call.secret.isEmpty && door.hasSecret
        if guesses, !client.mayGuess() { throw .tooManyRequests("too many wrong secrets") }
        if door.isSecret(call.secret), RoomID.isValid(call.session) {
            let role: OpenViduRole = call.isRecorder ? .subscriber : .publisher
            let id = Hexadecimal.identifier()
            let claims = try await claims(in: RoomID(call.session), as: role, user: id, token: id)
            let caller = OpenViduCaller(
                userID: id, tokenID: id, role: claims.role, isHidden: call.isRecorder,
                relays: relays)
            return (claims, caller)
        }
        if guesses, !door.isSecret(call.secret) { client.guessedWrong() }
        let claims = try await client.claims(call.token.token)
        let caller = OpenViduCaller(
            userID: claims.user, tokenID: claims.tokenID, role: claims.role,
            relays: relays)
        return (claims, caller)
    }

    private func claims(
        in room: RoomID, as role: OpenViduRole, user: String, token: String
    ) async throws(APIError) -> RoomTokenClaims {
        guard let name = role.role(in: try await directory.policy(of: room))?.name else {
            throw .unknownRole(role.rawValue)
        }
        let now = UnixTime.now
        return RoomTokenClaims(
            room: room, user: user, role: name, issuedAt: now, expiresAt: now + .seconds(60),
            tokenID: token)
    }

    private func comeBack(
        _ call: ReturnCall, over socket: WebSocketConnection
    ) async -> Place? {
        guard let room = call.room, let host = await directory.host(of: room) else {
            _ = await socket.send(OpenViduLobby.refusal(of: call))
            return nil
        }
        let entrance = OpenViduEntrance(host)
        return await entrance.comeBack(call, socket: ClientSocket(connection: socket))
            .map { Place(entrance: entrance, place: $0) }
    }

    private func relays() async -> [OpenViduCaller.Relay] {
        await directory.iceServers().flatMap { server in
            server.urls.map {
                OpenViduCaller.Relay(
                    url: $0, username: server.username ?? "", credential: server.credential ?? "")
            }
        }
    }
}

extension OpenViduError {
    fileprivate init(_ error: APIError) {
        let code =
            switch error.status {
            case .unauthorized: 401
            case .forbidden: 203
            case .serviceUnavailable: 204
            default: 201
            }
        self.init(code: code, message: error.message)
    }
}

extension OpenViduLimits {
    /// The settings of rooms apply to all protocols.
    init(_ limits: SignallingLimits) {
        self.init()
        outboxFrames = limits.outboxFrames
        outboxBytes = limits.outboxBytes
        connections = limits.connections
        silence = limits.silence
    }
}
