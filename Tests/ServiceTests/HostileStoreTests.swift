import AsyncHTTPClient
import Logging
import MediaKernel
import NIOCore
import ObjectStorage
import Testing

@testable import Service

/// A store's possible attacks on its client, over a network.
@Suite(.timeLimit(.minutes(5))) struct HostileStoreTests {
    /// The reason why listing a store's uploads failed; nil if it did not.
    private func failure(
        at server: ScriptedServer, timeout: Duration = .seconds(30)
    ) async throws -> StoreFailure? {
        let store = ObjectStore(
            isTLS: false, authority: "127.0.0.1:\(server.port)", region: "us-east-1",
            addressing: .path, bucket: "recordings")
        let connection = StoreConnection(timeout: timeout)
        let client = StoreClient(
            access: StoreAccess(store: store) {
                AWSCredentials(accessKeyID: "id", secretAccessKey: "secret")
            }, line: StoreHTTP(client: connection.client, timeout: timeout),
            manners: StoreManners(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let result: StoreFailure?
        do throws(StoreFailure) {
            try await client.delete(store.location(of: "a"))
            result = nil
        } catch {
            result = error
        }
        try await connection.client.shutdown()
        return result
    }

    @Test func aStoreThatSendsOnHasFailed() async throws {
        try await ScriptedServer.run(ScriptedServer.accepting) { other in
            try await ScriptedServer.run(ScriptedServer.redirecting(to: other.port)) { store in
                let failure = try await failure(at: store)
                #expect(failure != nil)
                #expect(store.requests.count == 1 && other.requests.isEmpty)
            }
        }
    }

    @Test func aStoreThatDoesNotAnswerHasFailed() async throws {
        try await ScriptedServer.run(ScriptedServer.silent) { store in
            let failure = try await failure(at: store, timeout: .milliseconds(200))
            #expect(failure?.description.contains("nothing moved") == true)
        }
    }

    @Test func aStoreThatAnswersWithoutEndHasFailed() async throws {
        try await ScriptedServer.run(ScriptedServer.endless) { store in
            let failure = try await failure(at: store)
            #expect(failure?.description.contains("too long") == true)
        }
    }
}
