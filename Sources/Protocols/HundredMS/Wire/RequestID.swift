/// The id of a call. Clients send UUID strings; JSON-RPC 2.0 allows numbers too, which are echoed.
public enum RequestID: Hashable, Sendable, Codable, CustomStringConvertible {
    case string(String)
    case number(Int64)

    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let string = try? value.decode(String.self) {
            self = .string(string)
        } else {
            self = .number(try value.decode(Int64.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        }
    }

    public var description: String {
        switch self {
        case .string(let value): value
        case .number(let value): "\(value)"
        }
    }
}
