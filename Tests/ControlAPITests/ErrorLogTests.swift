import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import ControlAPI

/// A room's token is in the address of its socket, and in headers: neither may be logged.
@Suite struct ErrorLogTests {
    private final class Lines: Sendable {
        private let text = Mutex("")
        func add(_ line: String) { text.withLock { $0 += line + "\n" } }
        var all: String { text.withLock { $0 } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add("\(event.message) \(event.metadata ?? [:]) \(metadata)")
        }
    }

    private func logger(_ lines: Lines) -> Logger {
        Logger(label: "test") { _ in Handler(lines: lines) }
    }

    private struct Fault: Error {}

    @Test func aFaultIsLoggedByItsPathAlone() async throws {
        let lines = Lines()
        let router = Router(context: CallerContext.self)
        router.add(middleware: ErrorMiddleware())
        router.get("/fault") { _, _ -> String in throw Fault() }
        try await Application(router: router, logger: logger(lines)).test(.router) { client in
            let answer = try await client.execute(
                uri: "/fault?token=hush", method: .get, headers: [.authorization: "Bearer hush"])
            #expect(answer.status == .internalServerError)
        }
        #expect(lines.all.contains("/fault"))
        #expect(!lines.all.contains("hush"))
    }

    /// At the most verbose level.
    @Test func noTokenIsLoggedWhateverBecomesOfTheRequest() async throws {
        let lines = Lines()
        let world = try await TestWorld()
        let token = try await world.roomToken()
        let signature = try #require(token.split(separator: ".").last)
        let service = try HTTPService(
            world.configuration, authority: world.authority, control: world.control,
            gateway: world.gateway,
            signalling: [HundredMSEndpoint(gateway: world.gateway)], templates: TemplatesDouble(),
            recordings: world.recordings,
            playbackKey: world.playbackKey, metrics: [], renewedBody: { _ in nil },
            logger: logger(lines), clock: { TestWorld.now })
        try await service.application().test(.live) { client in
            for path in ["/ws?peer=p1&token=\(token)", "/ws?peer=p1&token=x\(token)"] {
                try await RawClient.connect(port: client.port ?? 0) { client in
                    // The server may close it before it answers.
                    _ = try? await client.upgrade(path)
                    _ = try? await client.send([0, 0])
                    _ = try? await client.closeCode()
                }
                _ = try await client.execute(uri: path, method: .get)
            }
            for path in ["/init", "/v2/rooms", "/nowhere"] {
                _ = try await client.execute(
                    uri: "\(path)?token=\(token)", method: .get,
                    headers: [.authorization: "Bearer \(token)"])
            }
        }
        #expect(!lines.all.contains(signature))
    }
}
