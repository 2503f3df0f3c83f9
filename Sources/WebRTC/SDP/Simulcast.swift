/// `a=rid:<id> <send|recv> [pt=…;restriction=…]`. RFC 8851.
public struct RestrictionIdentifier: Hashable, Sendable {
    public enum Direction: String, Hashable, Sendable {
        case send
        case receive = "recv"
    }

    public var id: String
    public var direction: Direction
    /// The payload types of `pt=`; empty means any of the section.
    public var payloadTypes: [UInt8]
    /// `max-width`, `max-br`, … in order.
    public var restrictions: FormatParameters

    public init(
        id: String, direction: Direction, payloadTypes: [UInt8] = [],
        restrictions: FormatParameters = []
    ) {
        self.id = id
        self.direction = direction
        self.payloadTypes = payloadTypes
        self.restrictions = restrictions
    }

    init?(_ text: Substring) {
        let words = text.words
        guard words.count >= 2, let direction = Direction(rawValue: String(words[1])),
            words[0].utf8.allSatisfy(Self.isIdentifierByte)
        else { return nil }
        self.init(id: String(words[0]), direction: direction)
        var all = FormatParameters(Substring(words.dropFirst(2).joined(separator: " ")))
        if let list = all["pt"] {
            for item in list[...].parts(at: ",", omittingEmpty: true) {
                guard let payloadType: UInt8 = item.trimmed.decimal(), payloadType < 128 else {
                    return nil
                }
                payloadTypes.append(payloadType)
            }
            all["pt"] = nil
        }
        restrictions = all
    }

    /// RFC 8851 sect. 10 with the erratum that RFC 8852 shares: letters, digits, `-` and `_`.
    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: return true
        default: return false
        }
    }

    var rendered: String {
        var parts: [String] = []
        if !payloadTypes.isEmpty {
            parts.append("pt=" + payloadTypes.map { String($0) }.joined(separator: ","))
        }
        if !restrictions.isEmpty { parts.append(restrictions.rendered) }
        let tail = parts.isEmpty ? "" : " " + parts.joined(separator: ";")
        return "rid:\(id) \(direction.rawValue)\(tail)"
    }
}

/// `a=simulcast:send <streams> recv <streams>`. RFC 8853.
public struct Simulcast: Hashable, Sendable {
    /// One format of one layer.
    public struct Alternative: Hashable, Sendable {
        public var rid: String
        /// Written `~rid`: agreed, but not sent for now.
        public var isPaused: Bool

        public init(rid: String, isPaused: Bool = false) {
            self.rid = rid
            self.isPaused = isPaused
        }
    }

    /// Layers in the writer's order; each with its alternatives, the preferred first.
    public var send: [[Alternative]]
    public var receive: [[Alternative]]

    public init(send: [[Alternative]], receive: [[Alternative]]) {
        self.send = send
        self.receive = receive
    }

    /// Layers of one alternative each, the usual case.
    public init(sendRIDs: [String] = [], receiveRIDs: [String] = []) {
        self.init(
            send: sendRIDs.map { [Alternative(rid: $0)] },
            receive: receiveRIDs.map { [Alternative(rid: $0)] })
    }

    /// The first alternative of each layer sent.
    public var sendRIDs: [String] { send.compactMap { $0.first?.rid } }
    public var receiveRIDs: [String] { receive.compactMap { $0.first?.rid } }

    /// The agreement in the words of the other side.
    public var reversed: Simulcast { Simulcast(send: receive, receive: send) }

    init?(_ text: Substring) {
        self.init(send: [], receive: [])
        let words = text.words
        guard words.count == 2 || words.count == 4 else { return nil }
        for index in stride(from: 0, to: words.count, by: 2) {
            guard let layers = Self.layers(words[index + 1]) else { return nil }
            switch words[index] {
            case "send" where send.isEmpty: send = layers
            case "recv" where receive.isEmpty: receive = layers
            default: return nil
            }
        }
    }

    private static func layers(_ text: Substring) -> [[Alternative]]? {
        var layers: [[Alternative]] = []
        for layer in text.parts(at: ";") {
            var alternatives: [Alternative] = []
            for item in layer.parts(at: ",") {
                let isPaused = item.hasPrefix("~")
                let rid = isPaused ? item.dropFirst() : item
                guard !rid.isEmpty else { return nil }
                alternatives.append(Alternative(rid: String(rid), isPaused: isPaused))
            }
            layers.append(alternatives)
        }
        return layers
    }

    var rendered: String {
        func text(_ layers: [[Alternative]]) -> String {
            layers.map { layer in
                layer.map { ($0.isPaused ? "~" : "") + $0.rid }.joined(separator: ",")
            }.joined(separator: ";")
        }
        var words = ["simulcast:"]
        if !send.isEmpty { words.append("send \(text(send))") }
        if !receive.isEmpty { words.append("recv \(text(receive))") }
        return words[0] + words.dropFirst().joined(separator: " ")
    }
}
