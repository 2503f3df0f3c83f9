/// The part of a resource of known length that a `Range` header asks for. RFC 9110 sect. 14.2.
enum ByteRange: Hashable {
    /// No range, or one to ignore: the answer is the whole resource.
    case whole
    case part(Range<Int64>)
    /// None of the requested bytes exist: 416.
    case unsatisfiable

    /// A request for several ranges gets the whole resource, which the RFC allows and which avoids
    /// multipart bodies; no HLS player asks for several.
    init(header: String?, length: Int64) {
        guard let header, let equals = header.firstIndex(of: "="),
            header[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let specification = header[header.index(after: equals)...]
        let ends = specification.split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        guard !specification.contains(","), ends.count == 2 else {
            self = .whole
            return
        }
        switch (Self.number(ends[0]), Self.number(ends[1])) {
        case (.absent, .value(let suffix)):
            guard suffix > 0, length > 0 else {
                self = .unsatisfiable
                return
            }
            self = .part(max(0, length - suffix)..<length)
        case (.value(let first), .absent):
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (.value(let first), .value(let last)):
            guard first <= last else {
                self = .whole
                return
            }
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (.absent, .absent), (.invalid, _), (_, .invalid):
            self = .whole
        }
    }

    private enum Number {
        case absent
        case value(Int64)
        case invalid
    }

    private static func number(_ text: Substring) -> Number {
        if text.isEmpty { return .absent }
        // Eighteen digits fit into 64 bits, with room for the addition above.
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(text)
        else { return .invalid }
        return .value(value)
    }
}
