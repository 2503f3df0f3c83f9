import MediaKernel
import RemoteRoom

/// Makes a stranger's words fit for logs, reasons and people: one line, not too long, without what
/// terminals obey, and without the page's own query, which may hold a key.
struct PageWords: Hashable, Sendable {
    /// `?` and the query of the page's address, if it has one.
    private let query: RoomSecrets

    init(of page: WebAddress) {
        let text = page.text.prefix { $0 != "#" }
        let queries = text.firstIndex(of: "?").map { [String(text[$0...])] } ?? []
        query = RoomSecrets(queries.filter { $0.utf8.count > 1 }, mark: "?…")
    }

    func shown(_ text: String) -> String {
        // Cut after hiding: half a query is not recognized.
        Self.line(query.hidden(in: text), bytesMaximum: RoomSecrets.readMaximum)
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
