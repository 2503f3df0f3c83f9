internal import MediaKernel

/// Messages' ids as a value of the session's store: a JSON array of strings.
struct MessageList {
    private var messages: [String] = []

    /// - Parameter data: of a client, or `null` for none.
    init(_ data: OpaqueJSON) throws(RoomError) {
        guard data != .null else { return }
        try Check.bytes(data.text, field: "data", maximum: RoomLimits.storeValueBytes)
        guard let list = try? JSONDocument.decode([String].self, from: data.text.utf8) else {
            throw .invalidField(field: "data", reason: "must be a list of messages' ids")
        }
        for message in list { try Check.identifier(message, field: "data") }
        messages = list
    }

    /// - Returns: those that are new.
    mutating func add(_ others: MessageList) -> [String] {
        var known = Set(messages)
        let added = others.messages.filter { known.insert($0).inserted }
        messages += added
        return added
    }

    /// As many as a value holds: the earliest are left out, which are of no interest any more.
    var data: OpaqueJSON {
        var texts: [String] = []
        var bytes = "[]".utf8.count
        for message in messages.reversed() {
            let text = OpaqueJSON(string: message).text
            bytes += text.utf8.count + ",".utf8.count
            guard bytes <= RoomLimits.storeValueBytes else { break }
            texts.append(text)
        }
        return OpaqueJSON(text: "[\(texts.reversed().joined(separator: ","))]")
    }
}
