import MediaKernel

/// A line of a log that ends with the CRC-32 of the text before the final space.
enum ChecksummedLine {
    /// With its line break.
    static func closed(_ text: String) -> String {
        "\(text) *\(Hexadecimal.text(CRC32.checksum(text.utf8)))\n"
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
