import Subprocess

/// What bots and finishers have in common as processes.
enum ChildProcess {
    /// What ends a report. Not Unicode's other line breaks: they stand unescaped in JSON, such as in
    /// the name of a peer.
    static let lineEnd = SubprocessOutputSequence.StringSequence<UTF8>.Separator
        .unicodeScalarSequence(["\n"])

    /// The server's environment without its secrets.
    ///
    /// - Parameter values: what the child is given beside it.
    static func environment(adding values: [Environment.Key: String] = [:]) -> Environment {
        var changes: [Environment.Key: String?] = values
        for name in Settings.secretVariables {
            changes[Environment.Key(stringLiteral: name)] = .some(nil)
        }
        return .inherit.updating(changes)
    }
}
