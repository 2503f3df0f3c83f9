/// Names that somebody may have meant who wrote another one.
public struct NearestNames {
    /// Longer names are compared with none.
    private static let lengthMaximum = 80
    private static let countMaximum = 3

    private let names: [String]

    public init(_ names: some Sequence<String>) { self.names = Array(names) }

    /// - Returns: the names that differ least, if they differ by few letters, at most a third of
    ///   them; else those whose last part is this name: `port` of `http.port`. At most three.
    public func of(_ name: String) -> [String] {
        let wanted = Self.letters(of: name)
        guard !wanted.isEmpty, wanted.count <= Self.lengthMaximum else { return [] }
        let distances = names.map { Self.distance(wanted, Self.letters(of: $0)) }
        if let least = distances.min(), least <= max(1, min(3, wanted.count / 3)) {
            let nearest = zip(names, distances).filter { $0.1 == least }.map(\.0)
            return Array(nearest.prefix(Self.countMaximum))
        }
        let last = Self.letters(of: Self.lastPart(of: name))
        let alike = names.filter { Self.letters(of: Self.lastPart(of: $0)) == last }
        return Array(alike.prefix(Self.countMaximum))
    }

    /// Whether a name differs from one of these by so few letters, at most a quarter of them, that it
    /// is a misspelling rather than another name.
    public func resembles(_ name: String) -> Bool {
        let wanted = Self.letters(of: name)
        guard (2...Self.lengthMaximum).contains(wanted.count) else { return false }
        return names.contains {
            Self.distance(wanted, Self.letters(of: $0)) <= max(1, wanted.count / 4)
        }
    }

    /// `; did you mean http.port?`, or nothing.
    public func question(after name: String) -> String {
        let names = of(name)
        guard let last = names.last else { return "" }
        let others = names.dropLast().joined(separator: ", ")
        return "; did you mean \(others.isEmpty ? last : "\(others) or \(last)")?"
    }

    private static func lastPart(of name: String) -> Substring {
        name.split(separator: ".").last ?? ""
    }

    /// Capitals and separators are what people forget first.
    private static func letters(of name: some StringProtocol) -> [UInt8] {
        name.lowercased().utf8.filter { ![UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0) }
    }

    /// Letters to insert, remove, replace, or exchange with their neighbours.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var earlier: [Int] = []
        var previous = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            row.reserveCapacity(b.count + 1)
            for j in 1...b.count {
                let cost = a[i - 1] == b[j - 1] ? 0 : 1
                var best = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, earlier[j - 2] + 1)
                }
                row.append(best)
            }
            (earlier, previous) = (previous, row)
        }
        return previous[b.count]
    }
}
