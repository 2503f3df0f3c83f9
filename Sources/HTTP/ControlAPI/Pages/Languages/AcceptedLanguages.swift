/// What `Accept-Language` asks for (RFC 9110 sect. 12.5.4).
struct AcceptedLanguages: Hashable, Sendable {
    /// Of the header; what is longer is no browser's.
    static let bytesMaximum = 1024
    static let rangesMaximum = 32

    /// In lower case, the most wanted first; `*` is one of them.
    let ranges: [String]
    /// What the reader does not want: of weight 0.
    private let refused: Set<String>

    init(_ header: String) {
        let wanted = header.utf8.prefix(Self.bytesMaximum).split(
            separator: UInt8(ascii: ","), maxSplits: Self.rangesMaximum
        ).prefix(Self.rangesMaximum).compactMap(Self.range)
        // Equal ones stay in their order.
        ranges = wanted.filter { $0.weight > 0 }.enumerated().sorted { first, second in
            (second.element.weight, first.offset) < (first.element.weight, second.offset)
        }.map(\.element.name)
        refused = Set(wanted.filter { $0.weight == 0 }.map(\.name))
    }

    /// The first range that fits, each by its longest beginning that does (RFC 4647 sect. 3.4).
    ///
    /// - Parameter languages: in lower case.
    /// - Returns: nil if none fits, or if all are as good.
    func choice(among languages: some Collection<String>) -> String? {
        for range in ranges {
            if range == "*" { return nil }
            var name = range[...]
            while true {
                if refused.contains(String(name)) { break }
                if let found = languages.first(where: { $0 == name }) { return found }
                guard let end = name.lastIndex(of: "-") else { break }
                name = name[..<end]
            }
        }
        return nil
    }

    private static func range(
        _ text: Substring.UTF8View.SubSequence
    ) -> (name: String, weight: Int)? {
        let parts = text.split(
            separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let name = name(trimmed(first)) else { return nil }
        guard parts.count == 2 else { return (name, 1000) }
        let weight = trimmed(parts[1])
        guard weight.count > 2,
            weight.first == UInt8(ascii: "q") || weight.first == UInt8(ascii: "Q"),
            weight.dropFirst().first == UInt8(ascii: "="),
            let value = thousandths(weight.dropFirst(2))
        else { return nil }
        return (name, value)
    }

    private static func trimmed(_ text: Substring.UTF8View.SubSequence)
        -> Substring.UTF8View.SubSequence
    {
        var text = text
        while let byte = text.first, byte == 0x20 || byte == 0x09 { text.removeFirst() }
        while let byte = text.last, byte == 0x20 || byte == 0x09 { text.removeLast() }
        return text
    }

    private static func name(_ text: Substring.UTF8View.SubSequence) -> String? {
        let isName = text.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let name = String(decoding: text, as: UTF8.self)
        return (isName && !text.isEmpty) || name == "*" ? name.lowercased() : nil
    }

    /// "0.8" is 800.
    private static func thousandths(_ text: Substring.UTF8View.SubSequence) -> Int? {
        guard text.count <= 5, let whole = text.first, whole == 0x30 || whole == 0x31 else {
            return nil
        }
        var value = Int(whole - 0x30) * 1000
        guard let point = text.dropFirst().first else { return value }
        guard point == UInt8(ascii: ".") else { return nil }
        var unit = 100
        for digit in text.dropFirst(2) {
            guard (0x30...0x39).contains(digit) else { return nil }
            value += Int(digit - 0x30) * unit
            unit /= 10
        }
        return value <= 1000 ? value : nil
    }
}
