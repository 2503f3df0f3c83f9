import MediaKernel
import Yams

/// The control API's description as JSON, which browsers read, from the file in YAML, which people
/// write: the same values in the same order.
enum APIDescription {
    /// Deeper than any description is.
    static let depthMaximum = 64

    enum Fault: Error, Hashable {
        case notYAML
        case tooDeep
    }

    static func json(yaml: [UInt8]) throws(Fault) -> [UInt8] {
        guard let text = String(validating: yaml, as: UTF8.self) else { throw .notYAML }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw .notYAML
        }
        guard let root else { throw .notYAML }
        var json = ""
        try write(root, depth: 0, to: &json)
        return Array(json.utf8)
    }

    private static func write(_ node: Node, depth: Int, to json: inout String) throws(Fault) {
        guard depth < depthMaximum else { throw .tooDeep }
        switch node {
        case .scalar(let scalar): write(scalar, of: node.tag, to: &json)
        case .sequence(let items):
            json += "["
            for (index, item) in items.enumerated() {
                if index > 0 { json += "," }
                try write(item, depth: depth + 1, to: &json)
            }
            json += "]"
        case .mapping(let pairs):
            json += "{"
            for (index, (key, value)) in pairs.enumerated() {
                guard let name = key.scalar?.string else { throw .notYAML }
                if index > 0 { json += "," }
                json += string(name) + ":"
                try write(value, depth: depth + 1, to: &json)
            }
            json += "}"
        case .alias: throw .notYAML
        }
    }

    private static func write(_ scalar: Node.Scalar, of tag: Tag, to json: inout String) {
        let text = scalar.string
        switch tag {
        case Tag(.null): json += "null"
        case Tag(.bool) where text == "true" || text == "false": json += text
        case Tag(.int): json += Int(text).map(String.init) ?? string(text)
        case Tag(.float): json += Double(text).map { String($0) } ?? string(text)
        default: json += string(text)
        }
    }

    private static func string(_ text: String) -> String { OpaqueJSON(string: text).text }
}
