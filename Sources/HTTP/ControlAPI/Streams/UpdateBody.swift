import MediaKernel
import Streams

/// The body of a change to a stream on air. Unlike a start request it must have a field.
struct UpdateBody: RequestBody {
    static let fields = BodyFields(
        ["layout", "audio"],
        ["layout": .object(.layout), "audio": .object(LiveStreamAudio.fields)])

    var change = LiveStreamChange()

    /// - Throws: `DecodingError`, and `APIError` for fields that only a start may have.
    init(from decoder: any Decoder) throws {
        let fields = try [String: JSONValue](from: decoder)
        guard !fields.isEmpty else {
            throw APIError.badRequest("malformed body", "layout or audio is missing")
        }
        change.layout = fields["layout"]
        change.roles = try fields["audio"].map(Self.roles)
    }

    private static func roles(_ audio: JSONValue) throws -> LiveStreamChange.Roles {
        guard case .object(let fields) = audio else {
            throw APIError.badRequest("malformed body", "audio is not of type object")
        }
        if fields["only"] != nil {
            throw APIError.badRequest(
                "audio is not valid", "audio.only cannot be changed while the stream is on air")
        }
        switch fields["roles"] {
        case nil: throw APIError.badRequest("malformed body", "audio.roles is missing")
        case .null: return .everybody
        case .array(let values):
            let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
            guard names.count == values.count else { fallthrough }
            return .only(try LiveStreamAudio(roles: names).checked().roles ?? [])
        default: throw APIError.badRequest("malformed body", "audio.roles is not of type array")
        }
    }
}
