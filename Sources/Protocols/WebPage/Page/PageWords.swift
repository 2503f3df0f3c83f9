import MediaKernel

/// Makes a stranger's words fit for logs, reasons and people: one line, not too long, without what
/// terminals obey, and without the page's own query, which may hold a key.
struct PageWords: Hashable, Sendable {
    /// More is not looked at, in bytes.
    private static let readMaximum = 64 << 10

    /// `?` and the query of the page's address; nil without one.
    private let query: String?

    init(of page: WebAddress) {
        let text = page.text.prefix { $0 != "#" }
        query = text.firstIndex(of: "?").map { String(text[$0...]) }.flatMap {
            $0.utf8.count > 1 ? $0 : nil
        }
    }

    func shown(_ text: String) -> String {
        let line = Self.line(text, bytesMaximum: Self.readMaximum)
        return query.map { line.replacing($0, with: "?…") } ?? line
    }

    /// An address without its query and its fragment.
    static func address(_ url: String) -> String { String(url.prefix { !"?#".contains($0) }) }

    /// Cuts by bytes, as a character may have any number of them.
    static func line(_ text: String, bytesMaximum: Int) -> String {
        var (line, bytes) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= bytesMaximum else { break }
            line.append(isObeyed(scalar) ? " " : scalar)
        }
        return String(line)
    }

    /// Whether the scalar is an order and no sign: ends of lines, escapes, directions of writing.
    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format:
            (0x202a...0x202e).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
