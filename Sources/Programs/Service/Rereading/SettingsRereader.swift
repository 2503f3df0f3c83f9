import Catalogue
import ControlAPI
import Logging
import MediaKernel

/// Applies the settings that have changed since they were last read: all of those that can change
/// in a running server, or, if something is wrong with them, none.
actor SettingsRereader {
    private let reading: SettingsReading
    private let parts: LiveParts
    private let board: SettingsBoard
    private let logger: Logger
    /// In force until the server is started anew, but for `LiveParts.keys`.
    private let given: [SettingKey: String]
    private var settings: Settings
    private var files: SettledChange<[String: FileVersion]>

    /// - Parameter settings: those in force.
    init(
        _ reading: SettingsReading, settings: Settings, parts: LiveParts, board: SettingsBoard,
        logger: Logger
    ) throws {
        self.reading = reading
        self.parts = parts
        self.board = board
        self.logger = logger
        self.settings = settings
        given = try reading.read().given
        files = SettledChange(from: Self.versions(of: settings, reading.input.file))
    }

    /// Reads again what has been changed.
    func look() async {
        let (settings, file) = (settings, reading.input.file)
        let versions = await BlockingCall.run { Self.versions(of: settings, file) }
        if files.look(versions) { await reread(because: "a file has changed") }
    }

    /// - Parameter reason: for the log.
    func reread(because reason: String) async {
        let (reading, parts, before) = (reading, parts, settings)
        do {
            let (change, read) = try await BlockingCall.run {
                () throws -> (LiveParts.Change, SettingsReading.Result) in
                let read = try reading.read()
                guard read.settings.access.isWellKnown == before.access.isWellKnown else {
                    throw SettingsError.invalid(
                        key: SettingKey.authAccessKey.rawValue,
                        reason: "only a restart changes between the development key and others")
                }
                return (try parts.checked(read.settings), read)
            }
            try parts.use(change)
            settings = change.settings
            files.take(Self.versions(of: settings, reading.input.file))
            let waiting = SettingKey.allCases.filter {
                given[$0] != read.given[$0] && !LiveParts.keys.contains($0)
            }
            board.take(read.shown, waiting: waiting.map(\.rawValue))
            tell(change, waiting, because: reason)
        } catch {
            let fault = "\(reading.input.explained(error))"
            board.refuse(fault)
            logger.error(
                "the settings are wrong, so those from before stay in force",
                metadata: ["because": "\(reason)", "error": "\(fault)"])
        }
    }

    private func tell(
        _ change: LiveParts.Change, _ waiting: [SettingKey], because reason: String
    ) {
        var facts: Logger.Metadata = [
            "because": "\(reason)", "level": "\(change.settings.log.level)",
            "access_key": "\(change.settings.access.key)",
            "policy": "\(change.settings.policyFile ?? "built in")",
        ]
        if let end = change.certificate?.facts?.notAfter {
            facts["certificate_until"] =
                "\(UnixTime(nanoseconds: Int64(clamping: end) &* 1_000_000_000))"
        }
        logger.notice("the settings have been read again", metadata: facts)
        guard !waiting.isEmpty else { return }
        logger.warning(
            "these settings take effect when the server is started again",
            metadata: ["settings": "\(waiting.map(\.rawValue).joined(separator: " "))"])
    }

    /// Of the files that settings are read from; one that is not there has none.
    private static func versions(of settings: Settings, _ file: String?) -> [String: FileVersion] {
        let paths = [
            file, settings.policyFile, settings.http.certificateFile, settings.http.privateKeyFile,
        ]
        var versions: [String: FileVersion] = [:]
        for path in paths.compactMap(\.self) { versions[path] = FileVersion(path) }
        return versions
    }
}
