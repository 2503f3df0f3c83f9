public import ControlAPI
import HTTPTypes
import Logging
public import MediaKernel
import RoomHost
import Rooms
import Tokens
import WHIP

/// WHIP clients join rooms as peers like any other.
extension RoomDirectory: WHIPGateway {
    public func publish(
        _ offer: String, by request: WHIPRequest
    ) async throws(APIError) -> WHIPResource {
        let room = WHIPRoom(try await admitted(request.claims))
        do throws(WHIPError) {
            return WHIPResource(try await room.publish(offer, by: WHIPCaller(request)))
        } catch {
            let refusal = APIError(error)
            // OBS shows no more than the status, and not even that outside of its log.
            logger.info(
                "WHIP offer refused",
                metadata: [
                    "room": "\(request.claims.room)", "user": "\(request.claims.user)",
                    "status": "\(refusal.status.code)",
                    "reason": "\(refusal.details.first ?? refusal.message)",
                ])
            throw refusal
        }
    }

    public func play(
        _ offer: String, by request: WHIPRequest, view: WHEPView
    ) async throws(APIError) -> WHIPResource {
        let room = WHIPRoom(try await admitted(request.claims))
        do throws(WHIPError) {
            return WHIPResource(
                try await room.play(offer, by: WHIPCaller(request), view: RoomView(view)))
        } catch {
            throw APIError(error)
        }
    }

    public func admitAnswer(_ session: String, in room: RoomID) async throws(APIError) {
        guard let host = host(of: room) else { throw APIError(WHIPError.unknownSession) }
        do throws(WHIPError) {
            try await WHIPRoom(host).admitAnswer(session)
        } catch {
            throw APIError(error)
        }
    }

    public func answer(
        _ session: String, in room: RoomID, with answer: String
    ) async throws(APIError) {
        guard let host = host(of: room) else { throw APIError(WHIPError.unknownSession) }
        do throws(WHIPError) {
            try await WHIPRoom(host).answer(session, with: answer)
        } catch {
            throw APIError(error)
        }
    }

    public func patch(
        _ session: String, in room: RoomID, with fragment: String, ifMatch condition: String?
    ) async throws(APIError) -> WHIPResource? {
        guard let host = host(of: room) else { throw APIError(WHIPError.unknownSession) }
        do throws(WHIPError) {
            return try await WHIPRoom(host).patch(session, with: fragment, ifMatch: condition)
                .map { WHIPResource($0) }
        } catch {
            throw APIError(error)
        }
    }

    public func end(_ session: String, in room: RoomID) async throws(APIError) {
        guard let host = host(of: room) else { throw APIError(WHIPError.unknownSession) }
        do throws(WHIPError) {
            try await WHIPRoom(host).end(session)
        } catch {
            throw APIError(error)
        }
    }
}

extension WHIPCaller {
    fileprivate init(_ request: WHIPRequest) {
        self.init(
            userID: request.claims.user, tokenID: request.claims.tokenID,
            role: request.claims.role, name: request.name ?? "",
            source: request.source ?? "regular")
    }
}

extension RoomView {
    fileprivate init(_ view: WHEPView) {
        switch view {
        case .peer(let id): self = .peer(id)
        case .screen: self = .presentation
        case .speaker: self = .activeSpeaker
        }
    }
}

extension WHIPResource {
    fileprivate init(_ answer: WHIPAnswer) {
        self.init(
            id: answer.session, entityTag: answer.entityTag, body: answer.body,
            isCounterOffer: answer.isCounterOffer)
    }
}

extension APIError {
    fileprivate init(_ error: WHIPError) {
        switch error {
        case .unknownSession: self = .notFound("session not found")
        case .unknownPeer(let peer): self = .notFound("peer \(peer) is not in the room")
        case .nothingToPlay: self = .nothingToPlay()
        case .badDescription(let reason): self = .badRequest("malformed body", reason)
        case .preconditionRequired: self = .preconditionRequired()
        case .preconditionFailed: self = .preconditionFailed()
        case .tooManyRequests: self = .tooManyRequests()
        case .forbidden(let reason): self = .forbidden(reason)
        case .unavailable(let reason): self = .unavailable(reason)
        case .room(let error):
            switch error {
            case .roomFull, .roleFull, .tooManyConnections: self = .unavailable(error.message)
            case .unknownRole(let name): self = .unknownRole(name)
            case .tooManyRequests: self = .tooManyRequests(error.message)
            default: self.init(error)
            }
        }
    }
}
