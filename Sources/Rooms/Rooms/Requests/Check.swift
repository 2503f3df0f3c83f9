internal import MediaKernel

/// The limits of clients' texts, in one place so that each error names the field.
enum Check {
    static func bytes(_ text: String, field: String, maximum: Int) throws(RoomError) {
        try count(text.utf8.count, field: field, maximum: maximum)
    }

    static func count(_ count: Int, field: String, maximum: Int) throws(RoomError) {
        guard count <= maximum else {
            throw .tooLong(field: field, count: count, maximum: maximum)
        }
    }

    static func number(
        _ number: Int, _ range: ClosedRange<Int>, field: String
    ) throws(RoomError) {
        guard range.contains(number) else {
            throw .invalidField(
                field: field, reason: "must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Names are measured in scalars, so that the limit is the same in every script.
    static func name(_ text: String, field: String) throws(RoomError) {
        try count(text.unicodeScalars.count, field: field, maximum: RoomLimits.nameScalars)
    }

    /// Ids are used in SDP lines, file names and logs: visible ASCII without blanks.
    static func identifier(_ text: String, field: String) throws(RoomError) {
        guard !text.isEmpty else { throw .invalidField(field: field, reason: "is empty") }
        try bytes(text, field: field, maximum: RoomLimits.identifierBytes)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalidField(field: field, reason: "must be visible ASCII without blanks")
        }
    }

    /// What a peer says of itself.
    static func description(name: String?, metadata: String?) throws(RoomError) {
        if let name { try Self.name(name, field: "name") }
        if let metadata {
            try bytes(metadata, field: "data", maximum: RoomLimits.metadataBytes)
        }
    }

    static func message(
        type: String, body: OpaqueJSON, replyTo: String? = nil
    ) throws(RoomError) {
        try bytes(type, field: "type", maximum: RoomLimits.wordBytes)
        try bytes(body.text, field: "message", maximum: RoomLimits.messageBytes)
        if let replyTo { try identifier(replyTo, field: "reply_to") }
    }
}
