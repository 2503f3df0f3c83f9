import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import ControlAPI

/// Jibri's HTTP interface.
@Suite struct RecorderAPITests {
    private final class RecorderDouble: RecorderControl {
        private let state = Mutex<[RecorderLeaving]>([])
        var left: [RecorderLeaving] { state.withLock { $0 } }

        func health() async -> [UInt8] { Array(#"{"status":1}"#.utf8) }
        func leave(_ leaving: RecorderLeaving) { state.withLock { $0.append(leaving) } }
    }

    private let recorder = RecorderDouble()

    private var api: RecorderAPI {
        RecorderAPI(
            control: recorder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func theHealthIsADocument() async throws {
        try await Application(router: api.externalRouter()).test(.router) { client in
            let answer = try await client.execute(uri: "/jibri/api/v1.0/health", method: .get)
            #expect(answer.status == .ok && answer.headers[.contentType] == "application/json")
            #expect(String(buffer: answer.body) == #"{"status":1}"#)
            let order = try await client.execute(
                uri: "/jibri/api/internal/v1.0/shutdown", method: .post)
            #expect(order.status == .notFound, "not for everybody")
        }
        #expect(recorder.left.isEmpty)
    }

    @Test(arguments: [
        ("gracefulShutdown", RecorderLeaving.whenIdle), ("notifyConfigChanged", .toRestart),
        ("shutdown", .now),
    ])
    func ordersAreTaken(name: String, leaving: RecorderLeaving) async throws {
        try await Application(router: api.internalRouter()).test(.router) { client in
            let path = "/jibri/api/internal/v1.0/\(name)"
            let read = try await client.execute(uri: path, method: .get)
            #expect(read.status == .notFound)
            #expect(recorder.left.isEmpty)
            let posted = try await client.execute(uri: path, method: .post)
            #expect(posted.status == .ok)
        }
        #expect(recorder.left == [leaving])
    }
}
