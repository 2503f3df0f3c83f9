internal import Foundation
internal import MediaKernel

// JSON-RPC 2.0 as used by 100ms (`docs/PROTOCOL.md` section 3): one object per text frame. A
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
        // An unreadable id is encoded as `null`, JSON-RPC 2.0 section 5.
        try values.encode(id, forKey: .id)
        try values.encode("2.0", forKey: .jsonrpc)
        try values.encode(error, forKey: .error)
    }
}

/// The head of a frame, read before its method is known. Any object has a head, so the id is known
/// even if the rest of a call is invalid.
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

/// A received frame, parsed once: the head first, the content on demand.
struct IncomingFrame {
    let head: FrameHead
    private let content: JSONElement

    init(_ text: String, limits: JSONLimits) throws(SignallingError) {
        do {
            content = try JSONDocument(text, limits: limits).root
        } catch {
            throw .malformed(.json(error))
        }
        head = try Self.read(FrameHead.self, of: content)
    }

    /// The parameters of a call. A missing `params` is read as an empty object, so that the error
    /// names the missing parameter rather than `params`.
    func parameters<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(SignallingError) -> Parameters {
        if let params = content.member("params"), !params.isNull {
            return try Self.read(type, of: params)
        }
        return try FrameCodec.decode(type, from: "{}", limits: .frame)
    }

    func result<Result: Decodable>(_ type: Result.Type) throws(SignallingError) -> Result {
        guard let result = content.member("result") else { throw .missingParameter("result") }
        return try Self.read(type, of: result)
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type, of element: JSONElement
    ) throws(SignallingError) -> Value {
        do {
            return try element.decode(type)
        } catch {
            throw SignallingError(reading: error)
        }
    }
}

/// Converts frames to text and back. Keys are sorted, so that equal frames have equal bytes.
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
        _ type: Value.Type, from text: String, limits: JSONLimits
    ) throws(SignallingError) -> Value {
        do {
            return try JSONDocument.decode(type, from: text.utf8, limits: limits)
        } catch {
            throw SignallingError(reading: error)
        }
    }
}
