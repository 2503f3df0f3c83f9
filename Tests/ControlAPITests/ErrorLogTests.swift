import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import ControlAPI

/// A room's token is in the address of its socket, and in headers: neither may be logged.
@Suite struct ErrorLogTests {
    private struct Fault: Error {}

    @Test func aFaultIsLoggedByItsPathAlone() async throws {
        let lines = LogLines()
        let router = Router(context: CallerContext.self)
        router.add(middleware: ErrorMiddleware())
        router.get("/fault") { _, _ -> String in throw Fault() }
        try await Application(router: router, logger: lines.logger).test(.router) { client in
            let answer = try await client.execute(
                uri: "/fault?token=hush", method: .get, headers: [.authorization: "Bearer hush"])
            #expect(answer.status == .internalServerError)
        }
        #expect(lines.all.contains("/fault"))
        #expect(!lines.all.contains("hush"))
    }

    /// At the most verbose level.
    @Test func noTokenIsLoggedWhateverBecomesOfTheRequest() async throws {
        let lines = LogLines()
        let world = try await TestWorld()
        let token = try await world.roomToken()
        let signature = try #require(token.split(separator: ".").last)
        let service = try HTTPService(
            world.configuration, authority: world.authority, control: world.control,
            gateway: world.gateway,
            signalling: [HundredMSEndpoint(gateway: world.gateway)], templates: TemplatesDouble(),
            recordings: world.recordings,
            playbackKey: world.playbackKey, metrics: [], renewedBody: { _ in nil },
            logger: lines.logger, clock: { TestWorld.now })
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
