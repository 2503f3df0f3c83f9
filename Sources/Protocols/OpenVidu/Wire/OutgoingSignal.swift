internal import MediaKernel
internal import Rooms

/// A client's signal: `{"to":["con_…"],"data":"…","type":"signal:chat"}`.
struct OutgoingSignal: Hashable {
    /// Connections; empty for everybody, the sender included.
    var targets: [String] = []
    /// Without `signal:`; may be empty.
    var type: String
    var data: String

    init(_ text: String) throws(OpenViduError) {
        let root: JSONElement
        do {
            root = try JSONDocument(text, limits: .frame).root
        } catch {
            throw .signalFormat("the message is not valid JSON")
        }
        guard root.isObject else { throw .signalFormat("the message is not an object") }
        if let to = root.member("to"), !to.isNull {
            guard let targets = try? to.decode([String].self) else {
                throw .signalTarget("'to' must be an array of connection ids")
            }
            guard targets.count <= OpenViduLimits.signalTargets else {
                throw .signalTarget(
                    "'to' has \(targets.count) entries; at most "
                        + "\(OpenViduLimits.signalTargets) are allowed")
            }
            self.targets = targets.map { String($0.prefix(OpenViduLimits.identifierBytes)) }
        }
        type = Self.bareType(try Self.text("type", of: root))
        data = try Self.text("data", of: root)
    }

    /// Without `signal:`.
    static func bareType(_ type: String) -> String {
        if type == "signal" { return "" }
        return type.hasPrefix("signal:") ? String(type.dropFirst(7)) : type
    }

    private static func text(
        _ name: String, of root: JSONElement
    ) throws(OpenViduError) -> String {
        guard let member = root.member(name), !member.isNull else { return "" }
        guard let text = try? member.decode(String.self) else {
            throw .signalFormat("'\(name)' must be a text")
        }
        return text
    }
}
