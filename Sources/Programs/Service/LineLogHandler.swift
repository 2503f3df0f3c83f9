import Clocks
public import Logging
public import MediaKernel

/// Writes one line per event to standard error: time, level, logger, message, then the metadata by
/// name. The format is logfmt for people and `grep`, or JSON for collectors.
///
/// Each line is written with one system call, so that lines of several threads, and of bots that
/// inherit the same file, do not mix.
public struct LineLogHandler: LogHandler {
    public enum Format: String, Hashable, Sendable, CaseIterable {
        case logfmt
        case json
    }

    /// Longer values are cut, so that one request cannot fill the log.
    public static let valueCharactersMaximum = 2000

    private let common: LogLevel
    /// This logger's own level; nil for the common one.
    private var ownLevel: Logger.Level?
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: Format
    private let time: @Sendable () -> UnixTime
    private let write: @Sendable (String) -> Void
    /// Gets the lines, too; nil for nobody.
    private let copy: Copy?

    /// Takes a line's logger, message, level, time and fields.
    public typealias Copy =
        @Sendable (String, String, Logger.Level, UnixTime, [(String, String)]) -> Void

    public init(label: String, level: LogLevel, format: Format, copy: Copy? = nil) {
        self.init(
            label: label, level: level, format: format, copy: copy,
            time: { UnixTime.now }, write: StandardError.write)
    }

    init(
        label: String, level: LogLevel, format: Format, copy: Copy? = nil,
        time: @escaping @Sendable () -> UnixTime, write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        common = level
        self.format = format
        self.copy = copy
        self.time = time
        self.write = write
    }

    public var logLevel: Logger.Level {
        get { ownLevel ?? common.current }
        set { ownLevel = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let given = event.metadata { all.merge(given) { _, new in new } }
        let (now, message) = (time(), event.message.description)
        let given = all.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        copy?(label, message, event.level, now, given)
        var fields = [
            ("time", now.description), ("level", event.level.rawValue), ("logger", label),
            ("message", message),
        ]
        fields += given
        fields = fields.map { ($0, String($1.prefix(Self.valueCharactersMaximum))) }
        let line =
            switch format {
            case .logfmt: fields.map { "\($0)=\(Self.logfmt($1))" }.joined(separator: " ")
            case .json:
                "{\(fields.map { "\(Self.json($0)):\(Self.json($1))" }.joined(separator: ","))}"
            }
        write(line + "\n")
    }

    /// Quotes all but single plain words; escapes characters that would end a line or a quote.
    static func logfmt(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { scalar in
                scalar != "\"" && scalar != "=" && scalar != "\\" && !isUnseen(scalar)
                    && scalar.properties.generalCategory != .spaceSeparator
            }
        return isPlain ? value : json(value)
    }

    /// Characters that some readers take for a line end (U+0085, U+2028), that control a terminal,
    /// or that invisibly change how a line looks (writing from right to left).
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    static func json(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where isUnseen(scalar):
                for unit in String(scalar).utf16 {
                    text += "\\u" + Hexadecimal.text(unit)
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
