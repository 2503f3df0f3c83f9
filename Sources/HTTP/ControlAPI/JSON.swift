import HTTPTypes
import Hummingbird
public import MediaKernel
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads and writes JSON bodies by one set of rules.
enum JSON {
    /// Keys in a fixed order, so that equal answers are equal bytes.
    static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static func response(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        // Our own DTOs hold strings, integers and booleans, which always encode.
        let bytes = (try? data(value)) ?? Data(#"{"code":500,"message":"internal error"}"#.utf8)
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Reads a request's body as an object of type `T`; an empty body is an empty object.
    ///
    /// - Throws: a 400 that names the problem, a 413, and errors of the type itself.
    static func decode<T: RequestBody>(
        _ type: T.Type, from request: Request, maximum: Int = Limits.bodyBytes
    ) async throws(APIError) -> T {
        try await decode(type, of: .object(T.fields), from: request, maximum: maximum)
    }

    /// - Parameter fields: that the body may have.
    static func decode<T: Decodable>(
        _ type: T.Type, of fields: BodyFields.Content, from request: Request,
        maximum: Int = Limits.bodyBytes
    ) async throws(APIError) -> T {
        let buffer = try await RequestBytes.read(request, maximum: maximum)
        let bytes = Array(buffer.readableBytesView)
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
        let body = isBlank ? Array("{}".utf8) : bytes
        do {
            let document = try JSONDocument(body, limits: .standard)
            let faults = try BodyFieldCheck(document.root, fields).faults
            guard faults.isEmpty else {
                throw APIError(.badRequest, "malformed body", details: faults)
            }
            return try document.root.decode(type)
        } catch let error as APIError {
            throw error
        } catch let fault as JSONFault {
            throw .badRequest("malformed body", "the body is \(fault)")
        } catch let error as DecodingError {
            throw .badRequest("malformed body", describe(error))
        } catch {
            throw .badRequest("malformed body", "the body cannot be read")
        }
    }

    static func describe(_ error: DecodingError) -> String {
        func name(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + (last.map { [$0] } ?? []))
                .map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
                .joined(separator: ".")
            return path.isEmpty ? "the body" : String(path.prefix(100))
        }
        switch error {
        case .typeMismatch(let type, let context):
            return "\(name(context)) is not of type \(jsonName(of: type))"
        case .valueNotFound(_, let context): return "\(name(context)) must not be null"
        case .keyNotFound(let key, let context): return "\(name(context, key)) is missing"
        case .dataCorrupted(let context):
            return "\(name(context)) is not valid"
        @unknown default: return "the body cannot be read"
        }
    }

    private static func jsonName(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is Int.Type, is Double.Type: "number"
        case is [String: Any].Type: "object"
        case is [Any].Type: "array"
        default: "object or array"
        }
    }
}

extension JSONValue {
    /// Encodes a value as JSON.
    public init(encoding value: some Encodable) throws {
        self = try JSONDocument.decode(JSONValue.self, from: JSON.data(value))
    }
}
