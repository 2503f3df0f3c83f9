extension KeyedDecodingContainer {
    /// What is said of a key; the usual value where nothing is.
    func found<Value: Decodable>(_ key: Key, or usual: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? usual
    }
}
