import MediaKernel
import Streams

/// The death of a bot or a finisher in the control API, with `null` for missing values.
struct ProcessDeathBody: Encodable {
    var death: ProcessDeath

    init(_ death: ProcessDeath) { self.death = death }

    enum CodingKeys: String, CodingKey { case process, cause, signal, status, message, at }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(death.role, forKey: .process)
        try container.encode(death.cause, forKey: .cause)
        try container.encode(death.signal, forKey: .signal)
        try container.encode(death.status, forKey: .status)
        try container.encode(death.message, forKey: .message)
        try container.encode(death.at.description, forKey: .at)
    }
}
