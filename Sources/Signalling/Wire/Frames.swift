internal import Foundation

// JSON-RPC 2.0 as 100ms speaks it (`docs/PROTOCOL.md` section 3): one object a text frame. A
// client's calls carry `id` and `jsonrpc`, its notifications neither; a server's frames always
// carry `jsonrpc`.

struct CallFrame<Parameters: Encodable>: Encodable {
    var id: RequestID?
    var jsonrpc: String?
    var method: String
    var params: Parameters

    static func call(_ method: ClientMethod, _ params: Parameters, id: RequestID) -> Self {
        Self(id: id, jsonrpc: "2.0", method: method.rawValue, params: params)
    }

    static func clientNotification(_ method: ClientMethod, _ params: Parameters) -> Self {
        Self(method: method.rawValue, params: params)
    }

    static func serverNotification(_ method: ServerMethod, _ params: Parameters) -> Self {
        Self(jsonrpc: "2.0", method: method.rawValue, params: params)
    }

    static func dataNotification(_ method: DataChannelMethod, _ params: Parameters) -> Self {
        Self(jsonrpc: "2.0", method: method.rawValue, params: params)
    }
}

struct ResultFrame<Result: Encodable>: Encodable {
    var id: RequestID
    var jsonrpc = "2.0"
    var result: Result
}

struct ErrorFrame: Encodable {
    var id: RequestID?
    var error: ErrorPayload

    enum CodingKeys: String, CodingKey { case id, jsonrpc, error }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        // An id that could not be read is `null`, JSON-RPC 2.0 section 5.
        try values.encode(id, forKey: .id)
        try values.encode("2.0", forKey: .jsonrpc)
        try values.encode(error, forKey: .error)
    }
}

/// What can be said of a frame before its method is known. Any object has a head, so that the id
/// is known even of a call that is otherwise nonsense.
struct FrameHead: Decodable {
    var id: RequestID?
    var method: String?
    var error: ErrorPayload?

    enum CodingKeys: String, CodingKey { case id, method, error }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try? values.decodeIfPresent(RequestID.self, forKey: .id)
        method = try? values.decodeIfPresent(String.self, forKey: .method)
        let hasError = values.contains(.error) && (try? values.decodeNil(forKey: .error)) == false
        if hasError {
            error =
                (try? values.decode(ErrorPayload.self, forKey: .error))
                ?? ErrorPayload(code: 0, message: "an error without code and message")
        }
    }
}

struct ParametersFrame<Parameters: Decodable>: Decodable {
    var params: Parameters
}

struct IncomingResult<Result: Decodable>: Decodable {
    var result: Result
}

/// Frames to text and back. Keys are sorted, so that equal frames are equal bytes.
enum FrameCodec {
    static func text(of frame: some Encodable) throws(SignallingError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(frame), as: UTF8.self)
        } catch {
            throw .notEncodable("\(type(of: frame)): \(error)")
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from text: String
    ) throws(SignallingError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch let error as DecodingError {
            throw SignallingError(error)
        } catch {
            throw .malformed("\(error)")
        }
    }

    /// The parameters of a call. No `params` at all are read as an empty object, so that the error
    /// names the parameter that is missing rather than the place where it would be.
    static func parameters<Parameters: Decodable>(
        _ type: Parameters.Type, from text: String
    ) throws(SignallingError) -> Parameters {
        do {
            return try decode(ParametersFrame<Parameters>.self, from: text).params
        } catch .missingParameter("params") {
            return try decode(ParametersFrame<Parameters>.self, from: #"{"params":{}}"#).params
        }
    }
}
