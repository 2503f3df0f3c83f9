extension KeyedDecodingContainer {
    /// The value of a key, or the default if the key is missing.
    func found<Value: Decodable>(_ key: Key, or usual: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? usual
    }
}
