import Foundation

/// JSON in which equal values are equal bytes.
enum StableJSON {
    /// Empty for a value that has no form in JSON: texts, flags and finite numbers always have one.
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map(Array.init) ?? []
    }
}
