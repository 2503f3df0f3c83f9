/// Credentials for requests to a store. Their description hides the secrets.
public struct AWSCredentials: Hashable, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    public var accessKeyID: String
    public var secretAccessKey: String
    /// Only temporary credentials have one.
    public var sessionToken: String?

    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads the form of `~/.aws/credentials`:
    ///
    /// ```
    /// [default]
    /// aws_access_key_id = …
    /// aws_secret_access_key = …
    /// aws_session_token = …
    /// ```
    /// Nil if the section or one of the first two values is missing.
    ///
    /// - Parameter section: the section of the file to read.
    public init?(parsing text: String, section: String = "default") {
        var isWanted = false
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                isWanted = line.dropFirst().dropLast().trimmed == section
            } else if isWanted, let sign = line.firstIndex(of: "=") {
                let value = line[line.index(after: sign)...].trimmed
                values[line[..<sign].trimmed.lowercased()] = value.isEmpty ? nil : String(value)
            }
        }
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
        else { return nil }
        self.init(
            accessKeyID: id, secretAccessKey: secret,
            sessionToken: values["aws_session_token"])
    }

    public var description: String { "credentials of \(accessKeyID)" }
    public var debugDescription: String { description }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...last]
    }
}
