import ControlAPI
import Logging
import Service

extension RoomcastServer {
    /// With bots and finishers as processes of this program.
    init(
        settings: Settings, reading: SettingsReading? = nil, shown: SettingsTable? = nil,
        log: LogRing = LogRing(), logger: Logger
    ) async throws {
        try await self.init(
            settings: settings,
            launcher: BotProcess(
                executable: Executable.path, user: settings.botUser, logger: logger,
                log: log),
            finishers: FinisherProcess(executable: Executable.path, user: settings.botUser),
            reading: reading, shown: shown, log: log, logger: logger)
    }

    /// Runs the server of a command, by its settings and with its log.
    ///
    /// - Parameter change: of the settings.
    static func run(
        _ input: SettingsInput,
        changing change: @escaping @Sendable (inout Settings) -> Void = { _ in },
        with body: (RoomcastServer) async throws -> Void
    ) async throws {
        FileAccess.narrow()
        try await input.explaining { input in
            var settings = try Settings(input)
            change(&settings)
            ServerSecrets.keep()
            let level = LogLevel(settings.log.level)
            let log = LogRing()
            let logger = Logger.roomcast(
                "roomcast", level: level, format: settings.log.format, copy: log.take)
            let reading = SettingsReading(input, level: level, changing: change)
            try await body(
                try await RoomcastServer(
                    settings: settings, reading: reading, shown: SettingsTable(input), log: log,
                    logger: logger))
        }
    }

    /// - Parameter port: of HTTP.
    func logListening(on port: Int) {
        logger.info(
            "listening",
            metadata: [
                "url": "\(settings.http.botEndpoint(port: port))",
                "public": "\(settings.http.publicBaseURL)",
                "version": "\(Version.current)",
            ])
    }
}
