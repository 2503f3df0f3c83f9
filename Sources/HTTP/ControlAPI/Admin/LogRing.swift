public import Logging
public import MediaKernel
import Synchronization

/// The latest lines of the log: the server's own, and its bots'. Each have room of their own, so that
/// a bot that logs much does not push out the server's.
public final class LogRing: Sendable {
    /// Whose lines.
    public enum Source: Sendable { case server, bots }

    /// Of each source.
    public static let linesMaximum = 2000
    /// Of the texts of all lines of a source together.
    static let bytesMaximum = 2 << 20
    /// In Unicode scalars: a character may have any number of them. Longer ones are cut.
    static let messageMaximum = 500
    static let valueMaximum = 300
    static let fieldsMaximum = 16

    public struct Line: Hashable, Sendable {
        /// Counted from 1.
        public var number: Int
        public var time: UnixTime
        public var level: Logger.Level
        public var logger: String
        public var message: String
        public var fields: [Field]

        fileprivate var bytes: Int {
            fields.reduce(message.utf8.count + logger.utf8.count) {
                $0 + $1.name.utf8.count + $1.value.utf8.count
            }
        }
    }

    public struct Field: Hashable, Sendable, Encodable {
        public var name: String
        public var value: String
    }

    /// The lines of one source.
    private struct Shelf {
        private var lines: [Line] = []
        /// The place of the oldest line: those before it are gone.
        private var first = 0
        private var bytes = 0

        var kept: ArraySlice<Line> { lines[first...] }

        mutating func add(_ line: Line) {
            lines.append(line)
            bytes += line.bytes
            while kept.count > LogRing.linesMaximum || bytes > LogRing.bytesMaximum {
                dropOldest()
            }
        }

        private mutating func dropOldest() {
            bytes -= lines[first].bytes
            first += 1
            // Rarely, so that a line costs the same however many there are.
            guard first > LogRing.linesMaximum else { return }
            lines.removeFirst(first)
            first = 0
        }
    }

    private struct State {
        var server = Shelf()
        var bots = Shelf()
        var count = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// The server has logged a line.
    ///
    /// - Parameter logger: its label.
    public func take(
        _ logger: String, _ message: String, _ level: Logger.Level, _ time: UnixTime,
        _ fields: [(String, String)]
    ) {
        take(logger, message, level, time, fields, from: .server)
    }

    public func take(
        _ logger: String, _ message: String, _ level: Logger.Level, _ time: UnixTime,
        _ fields: [(String, String)], from source: Source
    ) {
        let fields = fields.prefix(Self.fieldsMaximum).map { name, value in
            Field(
                name: Self.cut(name, Self.valueMaximum), value: Self.cut(value, Self.valueMaximum))
        }
        let message = Self.cut(message, Self.messageMaximum)
        state.withLock { state in
            state.count += 1
            let line = Line(
                number: state.count, time: time, level: level, logger: logger, message: message,
                fields: fields)
            switch source {
            case .server: state.server.add(line)
            case .bots: state.bots.add(line)
            }
        }
    }

    private static func cut(_ text: String, _ maximum: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum)))
    }

    struct Query: Hashable, Sendable {
        /// Only lines with a higher number.
        var after = 0
        /// The least serious level.
        var level = Logger.Level.trace
        /// Part of the message, of a name or of a value, in small letters or capitals.
        var text = ""
        /// Only lines of this stream; empty for all.
        var stream = ""
        var limit = 200
    }

    /// The newest that match, oldest first, and the number of the newest line of all.
    func lines(_ query: Query) -> (lines: [Line], last: Int) {
        // Copied, so that no line that is logged waits for the search.
        var (server, bots, last) = state.withLock { ($0.server.kept, $0.bots.kept, $0.count) }
        let text = query.text.lowercased()
        var found: [Line] = []
        while found.count < query.limit {
            let isBots = (bots.last?.number ?? 0) > (server.last?.number ?? 0)
            guard let line = isBots ? bots.popLast() : server.popLast(), line.number > query.after
            else { break }
            guard line.level >= query.level, text.isEmpty || line.contains(text),
                query.stream.isEmpty || line.isOf(stream: query.stream)
            else { continue }
            found.append(line)
        }
        return (found.reversed(), last)
    }
}

extension LogRing.Line {
    fileprivate func isOf(stream: String) -> Bool {
        fields.contains { $0.name == "stream" && $0.value == stream }
    }

    /// - Parameter text: in small letters.
    fileprivate func contains(_ text: String) -> Bool {
        message.lowercased().contains(text)
            || fields.contains { "\($0.name)=\($0.value)".lowercased().contains(text) }
    }
}

extension LogRing.Line: Encodable {
    enum CodingKeys: String, CodingKey { case number, time, level, logger, message, fields }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(time.description, forKey: .time)
        try container.encode(level.rawValue, forKey: .level)
        try container.encode(logger, forKey: .logger)
        try container.encode(message, forKey: .message)
        try container.encode(fields, forKey: .fields)
    }
}
