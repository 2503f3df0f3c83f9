import MediaKernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A line of a log that ends with the CRC-32 of the text before the final space.
enum ChecksummedLine {
    /// With its line break.
    static func closed(_ text: String) -> String {
        "\(text) *\(Hexadecimal.text(CRC32.checksum(text.utf8)))\n"
    }

    /// A value of texts and numbers, which always encode, as a line of JSON with its line break.
    static func closed(encoding value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            preconditionFailure("numbers and texts always encode")
        }
        return closed(String(decoding: data, as: UTF8.self))
    }

    /// The value of a line of JSON; nil for a line that is torn or changed.
    ///
    /// - Parameter line: without its line break.
    static func value<Value: Decodable>(
        _ type: Value.Type, of line: some StringProtocol
    ) -> Value? {
        text(of: line).flatMap { try? JSONDocument.decode(type, from: $0.utf8, limits: .own) }
    }

    /// The text without the checksum; nil for a line that is torn or changed.
    ///
    /// - Parameter line: without its line break.
    static func text<Line: StringProtocol>(of line: Line) -> Line.SubSequence? {
        guard let mark = line.lastIndex(of: "*"), mark > line.startIndex else { return nil }
        let text = line[..<line.index(before: mark)]
        guard line[line.index(after: mark)...] == Hexadecimal.text(CRC32.checksum(text.utf8))
        else { return nil }
        return text
    }
}
