/// Reads one text into a tree. Included texts are read into the same tree by parsers of their own.
struct HOCONParser {
    private var scanner: HOCONScanner
    private let reading: HOCONReading
    /// The path of the object that this text is included in.
    private let scope: [String]
    private let includes: Int

    init(
        _ text: String, source: String, scope: [String] = [], includes: Int = 0,
        _ reading: HOCONReading
    ) throws(HOCONFault) {
        scanner = HOCONScanner(text, source: source)
        self.reading = reading
        self.scope = scope
        self.includes = includes
        reading.bytes += text.utf8.count
        guard reading.bytes <= reading.limits.bytes else {
            throw scanner.fault("more than \(reading.limits.bytes) bytes")
        }
    }

    /// Reads the whole text.
    ///
    /// - Parameter path: of the object from the document's root; nil within a list.
    mutating func document(
        into fields: HOCONFields, path: [String]?, depth: Int
    ) throws(HOCONFault) {
        scanner.lines()
        if scanner.next == UInt8(ascii: "[") { throw scanner.fault("a list in place of keys") }
        if scanner.next == UInt8(ascii: "{") {
            try object(into: fields, path: path, depth: depth)
            scanner.lines()
        } else {
            try members(into: fields, path: path, depth: depth, end: nil)
        }
        guard scanner.next == nil else {
            throw scanner.fault("\(scanner.found) after the end of the outermost object")
        }
    }

    // MARK: - Objects

    private mutating func object(
        into fields: HOCONFields, path: [String]?, depth: Int
    ) throws(HOCONFault) {
        let start = try open(depth)
        try members(into: fields, path: path, depth: depth, end: UInt8(ascii: "}"))
        guard scanner.take("}") else { throw HOCONFault("a '{' that is not closed", at: start) }
    }

    private mutating func open(_ depth: Int) throws(HOCONFault) -> HOCONPlace {
        guard depth < reading.limits.depth else {
            throw scanner.fault("more than \(reading.limits.depth) levels")
        }
        let start = scanner.place
        scanner.advance()
        return start
    }

    private mutating func members(
        into fields: HOCONFields, path: [String]?, depth: Int, end: UInt8?
    ) throws(HOCONFault) {
        scanner.lines()
        guard scanner.next != nil, scanner.next != end else { return }
        repeat {
            if scanner.isAtInclude {
                try include(into: fields, path: path, depth: depth)
            } else {
                try member(into: fields, path: path, depth: depth)
            }
        } while try another(before: end)
    }

    /// Takes what separates two values: ends of lines, one comma, or both.
    private mutating func another(before end: UInt8?) throws(HOCONFault) -> Bool {
        scanner.restOfLine()
        var isSeparated = scanner.next == UInt8(ascii: "\n")
        scanner.lines()
        if scanner.take(",") {
            isSeparated = true
            scanner.lines()
        }
        guard let next = scanner.next, next != end else { return false }
        guard isSeparated else {
            throw scanner.fault("\(scanner.found) where a comma or the end of the line belongs")
        }
        return true
    }

    private mutating func member(
        into fields: HOCONFields, path: [String]?, depth: Int
    ) throws(HOCONFault) {
        let place = scanner.place
        let names = try self.names()
        guard depth + names.count <= reading.limits.depth else {
            throw HOCONFault("more than \(reading.limits.depth) levels", at: place)
        }
        let inner = path.map { $0 + names }
        try count(names.count, at: place)
        scanner.blanks()
        var appends = false
        if scanner.starts(with: "+=") {
            guard inner != nil else { throw scanner.fault("'+=' within a list") }
            appends = true
            scanner.advance(2)
        } else if scanner.next == UInt8(ascii: "=") || scanner.next == UInt8(ascii: ":") {
            scanner.advance()
        } else if scanner.next != UInt8(ascii: "{") {
            // Without the key: what looks like one may be a password.
            throw scanner.fault("\(scanner.found) after a key, where '=', ':' or '{' belongs")
        }
        scanner.lines()
        var value = try self.value(path: inner, depth: depth + names.count)
        if appends, let inner {
            // HOCON defines it so: the list that was there, if any, and one more value.
            let earlier = HOCONReference(path: inner, scope: [], isOptional: true)
            value = HOCONExpression(
                .joined([
                    .value(HOCONExpression(.reference(earlier), at: place)),
                    .value(HOCONExpression(.list([value]), at: value.place)),
                ]), at: place)
        }
        fields.field(names[...], at: place).assign(value)
    }

    /// The names of a path. Dots separate them, except in quotes; spaces within one belong to it.
    private mutating func names() throws(HOCONFault) -> [String] {
        var names = [""]
        var isQuoted = false
        while true {
            let space = scanner.blanks()
            let part: String
            if scanner.next == UInt8(ascii: "\"") {
                part = try scanner.quoted()
                isQuoted = true
            } else if scanner.next == UInt8(ascii: ".") {
                guard !names[names.count - 1].isEmpty || isQuoted else { break }
                scanner.advance()
                names.append("")
                isQuoted = false
                continue
            } else {
                part = scanner.unquoted(upTo: UInt8(ascii: "."))
                if part.isEmpty { break }
            }
            names[names.count - 1] += names[names.count - 1].isEmpty ? part : space + part
        }
        guard !names[names.count - 1].isEmpty || isQuoted else {
            throw scanner.fault("\(scanner.found) where a name belongs")
        }
        return names
    }

    // MARK: - Values

    private mutating func value(path: [String]?, depth: Int) throws(HOCONFault) -> HOCONExpression {
        let place = scanner.place
        var pieces: [HOCONExpression.Piece] = []
        var isPlain = true
        var isNull = false
        while true {
            let space = scanner.blanks()
            guard !scanner.isAtComment, let next = scanner.next, !Self.ends.contains(next) else {
                break
            }
            if !pieces.isEmpty, !space.isEmpty { pieces.append(.space(space)) }
            let start = scanner.place
            try count(1, at: start)
            let content: HOCONExpression.Content
            isNull = false
            switch next {
            case UInt8(ascii: "\""): content = .text(try scanner.quoted())
            case UInt8(ascii: "{"):
                let fields = HOCONFields()
                try object(into: fields, path: path, depth: depth)
                content = .object(fields)
                isPlain = false
            case UInt8(ascii: "["):
                content = .list(try items(depth: depth))
                isPlain = false
            case UInt8(ascii: "$"):
                content = .reference(try reference())
                isPlain = false
            default:
                let text = scanner.unquoted()
                guard !text.isEmpty else {
                    throw scanner.fault(
                        "\(scanner.found) in a value: it needs quotes, or a value before is missing"
                    )
                }
                isNull = text == "null"
                content = .text(text)
            }
            pieces.append(.value(HOCONExpression(content, at: start)))
        }
        guard case .value(let first) = pieces.first else {
            throw scanner.fault("\(scanner.found) where a value belongs")
        }
        if pieces.count == 1 { return isNull ? HOCONExpression(.null, at: place) : first }
        guard isPlain else { return HOCONExpression(.joined(pieces), at: place) }
        return HOCONExpression(.text(Self.text(pieces)), at: place)
    }

    private static let ends = Set("\n,}]".utf8)

    private static func text(_ pieces: [HOCONExpression.Piece]) -> String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .space(let space): text += space
            case .value(let value): if case .text(let part) = value.content { text += part }
            }
        }
    }

    private mutating func items(depth: Int) throws(HOCONFault) -> [HOCONExpression] {
        let start = try open(depth)
        var items: [HOCONExpression] = []
        scanner.lines()
        if scanner.next != nil, scanner.next != UInt8(ascii: "]") {
            repeat {
                items.append(try value(path: nil, depth: depth + 1))
            } while try another(before: UInt8(ascii: "]"))
        }
        guard scanner.take("]") else { throw HOCONFault("a '[' that is not closed", at: start) }
        return items
    }

    private mutating func reference() throws(HOCONFault) -> HOCONReference {
        let start = scanner.place
        guard scanner.take("${") else { throw scanner.fault("a '$' without '{' after it") }
        let isOptional = scanner.take("?")
        let names = try self.names()
        guard names.count <= reading.limits.depth else {
            throw HOCONFault("more than \(reading.limits.depth) levels", at: start)
        }
        guard scanner.take("}") else { throw HOCONFault("a '${' that is not closed", at: start) }
        return HOCONReference(path: names, scope: scope, isOptional: isOptional)
    }

    private func count(_ more: Int, at place: HOCONPlace) throws(HOCONFault) {
        reading.values += more
        guard reading.values <= reading.limits.values else {
            throw HOCONFault("more than \(reading.limits.values) keys and values", at: place)
        }
    }

    // MARK: - Included files

    private mutating func include(
        into fields: HOCONFields, path: [String]?, depth: Int
    ) throws(HOCONFault) {
        let place = scanner.place
        scanner.advance("include".utf8.count)
        scanner.blanks()
        let isRequired = scanner.take("required(")
        scanner.blanks()
        for kind in ["url(", "classpath("] where scanner.starts(with: kind) {
            throw HOCONFault("an include of \(kind)…): only files can be included", at: place)
        }
        let isFile = scanner.take("file(")
        scanner.blanks()
        guard scanner.next == UInt8(ascii: "\"") else {
            throw scanner.fault("\(scanner.found) where the name of a file in quotes belongs")
        }
        let name = try scanner.quoted()
        for _ in 0..<(isRequired ? 1 : 0) + (isFile ? 1 : 0) {
            scanner.blanks()
            guard scanner.take(")") else { throw scanner.fault("\(scanner.found) in place of ')'") }
        }
        guard includes < reading.limits.includes else {
            throw HOCONFault(
                "more than \(reading.limits.includes) files within each other", at: place)
        }
        let text = try reading.include(name, from: place, isRequired: isRequired)
        guard let text else { return }
        var parser = try HOCONParser(
            text.text, source: text.source, scope: path ?? [], includes: includes + 1, reading)
        try parser.document(into: fields, path: path, depth: depth)
    }
}

/// What the parsers of a document and its included files have in common.
final class HOCONReading {
    let limits: HOCONLimits
    private let load: ((HOCONInclude) throws(HOCONFault) -> HOCONText?)?
    var bytes = 0
    var values = 0
    private(set) var included: [HOCONInclude] = []

    init(limits: HOCONLimits, load: ((HOCONInclude) throws(HOCONFault) -> HOCONText?)?) {
        self.limits = limits
        self.load = load
    }

    func include(
        _ name: String, from place: HOCONPlace, isRequired: Bool
    ) throws(HOCONFault) -> HOCONText? {
        guard let load else {
            throw HOCONFault("an include, which this text cannot have", at: place)
        }
        var include = HOCONInclude(name: name, place: place)
        let text = try load(include)
        include.isFound = text != nil
        included.append(include)
        guard text != nil || !isRequired else {
            throw HOCONFault("the included file '\(name)' is not there", at: place)
        }
        return text
    }
}
