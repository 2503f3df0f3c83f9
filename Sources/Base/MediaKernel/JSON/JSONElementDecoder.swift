/// Decodes any `Decodable` value from an element.
struct JSONElementDecoder: Decoder {
    let element: JSONElement

    var codingPath: [any CodingKey] { element.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard element.isObject else { throw element.mismatch([String: Any].self) }
        return KeyedDecodingContainer(JSONMembers<Key>(element))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard element.node.kind == .array else { throw element.mismatch([Any].self) }
        return JSONItems(element)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONElementDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { element.isNull }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try element.decode(type) }
}

private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSONElement
    /// The node of each member's value, by name.
    private let members: [String: Int]

    init(_ object: JSONElement) {
        self.object = object
        var members: [String: Int] = [:]
        object.forEachMember { members[$0] = $1 }
        self.members = members
    }

    var codingPath: [any CodingKey] { object.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try element(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try element(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try JSONElementDecoder(element: element(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONElementDecoder(element: element(key)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { JSONElementDecoder(element: object) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        JSONElementDecoder(element: try element(key))
    }

    private func element(_ key: Key) throws -> JSONElement {
        guard let index = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: "no such member"))
        }
        return object.element(index, under: key)
    }
}

private struct JSONItems: UnkeyedDecodingContainer {
    private let array: JSONElement
    private var node: Int
    private(set) var currentIndex = 0
    let count: Int?

    init(_ array: JSONElement) {
        self.array = array
        node = array.index + 1
        var (count, index) = (0, node)
        while index < array.node.next {
            count += 1
            index = Int(array.document.nodes[index].next)
        }
        self.count = count
    }

    var codingPath: [any CodingKey] { array.codingPath }
    var isAtEnd: Bool { node >= array.node.next }

    mutating func decodeNil() throws -> Bool {
        guard try next().isNull else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try next().decode(type)
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try JSONElementDecoder(element: next()).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try JSONElementDecoder(element: next()).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = JSONElementDecoder(element: try next())
        advance()
        return decoder
    }

    private func next() throws -> JSONElement {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "the array has ended"))
        }
        return array.element(node, under: JSONKey(index: currentIndex))
    }

    private mutating func advance() {
        node = Int(array.document.nodes[node].next)
        currentIndex += 1
    }
}
