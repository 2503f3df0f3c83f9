import MediaKernel

/// Turns bodies into JSON text, several times as fast as Foundation's encoder: a page of a list has
/// ten thousand fields.
///
/// For our own bodies, each of which encodes a field once. Fields come out in the order of their
/// names, so that equal bodies are equal bytes.
struct BodyEncoder: Encoder {
    /// - Throws: what the value's own `encode(to:)` throws.
    static func text(_ value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try Node.Content(value).write(to: &writer)
        return writer.bytes
    }

    fileprivate let node: Node

    /// Of no use to our bodies, which encode whatever is around them.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([]) }
        return KeyedEncodingContainer(Fields<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return Items(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }
}

/// What one value comes to. A class, since containers outlive the call that made them.
private final class Node {
    enum Content {
        case value(JSONValue)
        case object([(name: String, content: Content)])
        case array([Content])
        /// Of a container that may still be written to.
        case node(Node)
    }

    var content: Content

    init(_ content: Content = .value(.null)) { self.content = content }

    func append(_ content: Content, named name: String) {
        guard case .object(var fields) = self.content else { return }
        // Taken out meanwhile, or each field would cost a copy of all before it.
        self.content = .value(.null)
        fields.append((name, content))
        self.content = .object(fields)
    }

    func append(_ content: Content) {
        guard case .array(var items) = self.content else { return }
        self.content = .value(.null)
        items.append(content)
        self.content = .array(items)
    }
}

extension Node.Content {
    init(_ value: some Encodable) throws {
        if let json = value as? JSONValue {
            self = .value(json)
        } else {
            let node = Node()
            try value.encode(to: BodyEncoder(node: node))
            self = node.content
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .value(let value): writer.write(value)
        case .array(let items): writer.list("[", items, "]") { $1.write(to: &$0) }
        case .object(let fields):
            writer.list("{", fields.sorted { $0.name < $1.name }, "}") { writer, field in
                writer.write(name: field.name)
                field.content.write(to: &writer)
            }
        case .node(let node): node.content.write(to: &writer)
        }
    }
}

extension JSONValue {
    fileprivate init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map { .integer($0) } ?? .number(Double(value))
    }
}

private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: some Encodable & BinaryFloatingPoint, forKey key: Key) {
        put(.number(Double(value)), key)
    }
    func encode(_ value: some Encodable & BinaryInteger, forKey key: Key) {
        put(JSONValue(value), key)
    }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        node.append(try Node.Content(value), named: key.stringValue)
    }

    private func put(_ value: JSONValue, _ key: Key) {
        node.append(.value(value), named: key.stringValue)
    }

    private func child(_ name: String) -> BodyEncoder {
        let child = Node()
        node.append(.node(child), named: name)
        return BodyEncoder(node: child)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        child(key.stringValue).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { child("super") }
    func superEncoder(forKey key: Key) -> any Encoder { child(key.stringValue) }
}

private struct Items: UnkeyedEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }
    var count: Int { if case .array(let items) = node.content { items.count } else { 0 } }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: some Encodable & BinaryFloatingPoint) { put(.number(Double(value))) }
    func encode(_ value: some Encodable & BinaryInteger) { put(JSONValue(value)) }
    func encode(_ value: some Encodable) throws { node.append(try Node.Content(value)) }

    private func put(_ value: JSONValue) { node.append(.value(value)) }

    private func child() -> BodyEncoder {
        let child = Node()
        node.append(.node(child))
        return BodyEncoder(node: child)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        child().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
    func superEncoder() -> any Encoder { child() }
}

private struct Single: SingleValueEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: some Encodable & BinaryFloatingPoint) { put(.number(Double(value))) }
    func encode(_ value: some Encodable & BinaryInteger) { put(JSONValue(value)) }
    func encode(_ value: some Encodable) throws { node.content = try Node.Content(value) }

    private func put(_ value: JSONValue) { node.content = .value(value) }
}
