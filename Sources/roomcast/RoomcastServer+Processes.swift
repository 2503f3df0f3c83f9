import ControlAPI
import Logging
import Service

extension RoomcastServer {
    /// With bots and finishers as processes of this program.
    init(settings: Settings, logger: Logger) async throws {
        try await self.init(
            settings: settings,
            launcher: BotProcess(
                executable: Executable.path, user: settings.botUser, logger: logger),
            finishers: FinisherProcess(executable: Executable.path, user: settings.botUser),
            logger: logger)
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
