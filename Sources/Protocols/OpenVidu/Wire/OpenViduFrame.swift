internal import Foundation
internal import MediaKernel

/// The frames of both sides. Equal frames have equal bytes.
enum OpenViduFrame {
    static func call(
        _ method: OpenViduMethod, _ parameters: [String: JSONValue]?, id: CallID
    ) -> String {
        var members: [String: JSONValue] = [
            "jsonrpc": "2.0", "id": id.json, "method": .string(method.rawValue),
        ]
        if let parameters { members["params"] = .object(parameters) }
        return text(members)
    }

    /// The answer to a call.
    ///
    /// - Parameter rpcSession: stands in every result but that of a ping, as OpenVidu's clients
    ///   expect. Empty before the client has joined.
    static func result(
        _ members: [String: JSONValue], to id: CallID, rpcSession: String
    ) -> String {
        var members = members
        if !rpcSession.isEmpty { members["sessionId"] = .string(rpcSession) }
        return text(["jsonrpc": "2.0", "id": id.json, "result": .object(members)])
    }

    static func error(_ error: OpenViduError, to id: CallID?, rpcSession: String) -> String {
        var payload: [String: JSONValue] = [
            "code": .integer(Int64(error.code)), "message": .string(error.message),
        ]
        if !rpcSession.isEmpty { payload["data"] = .object(["sessionId": .string(rpcSession)]) }
        return text(["jsonrpc": "2.0", "id": id?.json ?? .null, "error": .object(payload)])
    }

    static func notification(
        _ method: OpenViduNotification, _ parameters: [String: JSONValue]
    ) -> String {
        text([
            "jsonrpc": "2.0", "method": .string(method.rawValue), "params": .object(parameters),
        ])
    }

    static func text(_ members: [String: JSONValue]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and flags always encode.
        return (try? encoder.encode(JSONValue.object(members)))
            .map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
