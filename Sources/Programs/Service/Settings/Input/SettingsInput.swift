internal import Foundation

/// What an operator has given: options of the command line, which win, variables, and a file.
public struct SettingsInput: Sendable {
    /// A JSON file; nil for none.
    public var file: String?
    var environment: [String: String]
    /// As texts, like variables.
    private(set) var options: [SettingKey: Option] = [:]

    struct Option: Hashable {
        /// `--port`
        let name: String
        let text: String
    }

    /// - Parameter environment: nil for that of this process.
    public init(file: String? = nil, environment: [String: String]? = nil) {
        self.file = file
        self.environment = environment ?? ProcessInfo.processInfo.environment
    }

    /// Options of the command line; nil for one that is not given.
    ///
    /// - Parameter directory: holds the directories of streams and of recordings, and the password of
    ///   `/admin`.
    public mutating func give(host: String?, port: Int?, udpPort: Int?, directory: String?) {
        give(.httpHost, "--host", host)
        give(.httpPort, "--port", port.map(String.init))
        give(.udpPort, "--udp-port", udpPort.map(String.init))
        give(.outputDirectory, "--directory", directory.map { "\($0)/streams" })
        give(.recordingsDirectory, "--directory", directory.map { "\($0)/recordings" })
        give(.adminPasswordFile, "--directory", directory.map { "\($0)/admin-password" })
    }

    private mutating func give(_ key: SettingKey, _ name: String, _ text: String?) {
        options[key] = text.map { Option(name: name, text: $0) }
    }
}
