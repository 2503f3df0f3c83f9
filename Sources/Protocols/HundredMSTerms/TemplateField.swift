internal import MediaKernel

/// A field of an object in a template. Any field may be missing, and then keeps its default.
struct TemplateField<Whole>: Sendable {
    fileprivate let read: @Sendable (inout Whole, KeyedDecodingContainer<JSONKey>) throws -> Void
    fileprivate let write: @Sendable (Whole, inout KeyedEncodingContainer<JSONKey>) throws -> Void

    /// A field that is written if it has a value.
    init<Value: Codable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Whole, Value?> & Sendable
    ) {
        let key = JSONKey(name)
        read = { whole, values in
            whole[keyPath: path] = try values.decodeIfPresent(Value.self, forKey: key)
        }
        write = { whole, values in
            try values.encodeIfPresent(whole[keyPath: path], forKey: key)
        }
    }

    /// A field that is always written.
    init<Value: Codable & Sendable>(
        _ name: String, always path: any WritableKeyPath<Whole, Value> & Sendable
    ) {
        let key = JSONKey(name)
        read = { whole, values in
            if let value = try values.decodeIfPresent(Value.self, forKey: key) {
                whole[keyPath: path] = value
            }
        }
        write = { whole, values in try values.encode(whole[keyPath: path], forKey: key) }
    }
}

extension Decoder {
    func read<Whole>(_ fields: [TemplateField<Whole>], into whole: inout Whole) throws {
        let values = try container(keyedBy: JSONKey.self)
        for field in fields { try field.read(&whole, values) }
    }
}

extension Encoder {
    /// Writes the fields in their order.
    func write<Whole>(_ fields: [TemplateField<Whole>], of whole: Whole) throws {
        var values = container(keyedBy: JSONKey.self)
        for field in fields { try field.write(whole, &values) }
    }
}
