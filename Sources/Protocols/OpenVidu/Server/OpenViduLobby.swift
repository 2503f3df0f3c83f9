public import MediaKernel

/// A client's request to come back on a new socket.
public struct ReturnCall: Sendable {
    let id: CallID?
    let rpcSession: String

    /// The room that the client was in, as its session says; nil if it says none.
    public var room: RoomID? {
        guard let dot = rpcSession.lastIndex(of: ".") else { return nil }
        let text = rpcSession[rpcSession.index(after: dot)...]
        return RoomID.isValid(text) ? RoomID(String(text)) : nil
    }
}

/// The conversation with a client that is connected and has not joined yet: nothing is known of it,
/// so it may send little.
public struct OpenViduLobby: Sendable {
    public enum Action: Sendable {
        /// Send this frame.
        case answer(String)
        /// Check the token, then join.
        case join(JoinCall)
        case comeBack(ReturnCall)
        case ignore
        /// Close the socket.
        case close(code: UInt16, reason: String)
    }

    private var frames = 0

    public init() {}

    public mutating func received(_ text: String) -> Action {
        frames += 1
        guard text.utf8.count <= OpenViduLimits.frameBytes else {
            return .close(code: 1009, reason: "frame too long")
        }
        guard frames <= OpenViduLimits.framesBeforeJoin else {
            return .close(code: 1008, reason: "too many frames before joinRoom")
        }
        let call: OpenViduCall
        do {
            call = try OpenViduCall(text)
        } catch {
            return .answer(OpenViduFrame.error(error, to: nil, rpcSession: ""))
        }
        do throws(OpenViduError) {
            return try action(for: call)
        } catch {
            return .answer(OpenViduFrame.error(error, to: call.id, rpcSession: ""))
        }
    }

    private func action(for call: OpenViduCall) throws(OpenViduError) -> Action {
        switch OpenViduMethod(rawValue: call.method) {
        case .ping:
            return Self.answer(["value": "pong"], to: call)
        case .joinRoom:
            return .join(try JoinCall(call))
        case .connect:
            return .comeBack(
                ReturnCall(
                    id: call.id, rpcSession: try call.parameters.identifier("sessionId")))
        case .sessionStatus:
            return Self.answer(["life": .integer(-1)], to: call)
        case nil:
            throw .unknownMethod(call.method)
        default:
            throw .joinFirst
        }
    }

    private static func answer(_ result: [String: JSONValue], to call: OpenViduCall) -> Action {
        guard let id = call.id else { return .ignore }
        return .answer(OpenViduFrame.result(result, to: id, rpcSession: ""))
    }

    /// The frame that refuses a join.
    public static func refusal(_ error: OpenViduError, of call: JoinCall) -> String {
        OpenViduFrame.error(error, to: call.id, rpcSession: "")
    }

    /// The frame for a client that comes back to a room that is gone.
    public static func refusal(of call: ReturnCall) -> String {
        OpenViduFrame.error(.reconnection, to: call.id, rpcSession: "")
    }
}
