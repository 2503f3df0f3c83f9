import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import ControlAPI

/// Jibri's HTTP interface.
@Suite struct RecorderAPITests {
    private final class RecorderDouble: RecorderControl {
        let figures: String?

        init(figures: String? = nil) { self.figures = figures }

        private let state = Mutex<[RecorderLeaving]>([])
        var left: [RecorderLeaving] { state.withLock { $0 } }

        func health() async -> [UInt8] { Array(#"{"status":1}"#.utf8) }
        func metrics() async -> String? { figures }
        func leave(_ leaving: RecorderLeaving) { state.withLock { $0.append(leaving) } }
    }

    private let recorder = RecorderDouble()

    private var api: RecorderAPI {
        RecorderAPI(
            control: recorder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func theHealthIsADocument() async throws {
        try await Application(router: api.externalRouter(host: "0.0.0.0")).test(.router) { client in
            let answer = try await client.execute(uri: "/jibri/api/v1.0/health", method: .get)
            #expect(answer.status == .ok && answer.headers[.contentType] == "application/json")
            #expect(String(buffer: answer.body) == #"{"status":1}"#)
            let order = try await client.execute(
                uri: "/jibri/api/internal/v1.0/shutdown", method: .post)
            #expect(order.status == .notFound, "not for everybody")
        }
        #expect(recorder.left.isEmpty)
    }

    @Test(arguments: [nil, "jitsi_jibri_errors_total 0\n"])
    func figuresAreThereIfTheyAreTurnedOn(figures: String?) async throws {
        let api = RecorderAPI(
            control: RecorderDouble(figures: figures),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await Application(router: api.externalRouter(host: "0.0.0.0")).test(.router) { client in
            let answer = try await client.execute(uri: "/metrics", method: .get)
            #expect(answer.status == (figures == nil ? .notFound : .ok))
            guard let figures else { return }
            #expect(String(buffer: answer.body) == figures)
            #expect(answer.headers[.contentType]?.hasPrefix("text/plain; version=0.0.4") == true)
        }
    }

    @Test(arguments: [
        ("gracefulShutdown", RecorderLeaving.whenIdle), ("notifyConfigChanged", .toRestart),
        ("shutdown", .now),
    ])
    func ordersAreTaken(name: String, leaving: RecorderLeaving) async throws {
        try await Application(router: api.internalRouter(host: "Machine.test")).test(.router) {
            client in
            let path = "/jibri/api/internal/v1.0/\(name)"
            let read = try await client.execute(uri: path, method: .get)
            #expect(read.status == .notFound)
            #expect(recorder.left.isEmpty)
            let posted = try await client.execute(uri: path, method: .post)
            #expect(posted.status == .ok)
        }
        #expect(recorder.left == [leaving])
    }

    @Test(arguments: [
        ("Origin", "http://evil.example", HTTPResponse.Status.forbidden),
        ("Origin", "null", .forbidden), ("Sec-Fetch-Site", "cross-site", .forbidden),
        ("Sec-Fetch-Site", "same-origin", .forbidden), ("Sec-Fetch-Site", "none", .ok),
        ("Accept", "*/*", .ok),
    ])
    func noPageMayAsk(name: String, value: String, status: HTTPResponse.Status) async throws {
        let headers = [try #require(HTTPField.Name(name)): value] as HTTPFields
        let (orders, looks) = (
            api.internalRouter(host: "127.0.0.1"), api.externalRouter(host: "127.0.0.1")
        )
        try await Application(router: orders).test(.router) { client in
            let answer = try await client.execute(
                uri: "/jibri/api/internal/v1.0/shutdown", method: .post, headers: headers)
            #expect(answer.status == status)
        }
        try await Application(router: looks).test(.router) { client in
            let answer = try await client.execute(
                uri: "/jibri/api/v1.0/health", method: .get, headers: headers)
            #expect(answer.status == status)
        }
        #expect(recorder.left == (status == .ok ? [.now] : []))
    }

    /// A page's own name may lead to this machine.
    @Test(arguments: [
        ("127.0.0.1:3333", 200), ("[::1]:3333", 200), ("10.1.2.3", 200), ("localhost:3333", 200),
        ("machine.test:3333", 200), ("evil.example:3333", 403), ("127.0.0.1.evil.example", 403),
    ])
    func onlyTheMachinesNamesAreServed(host: String, status: Int) async throws {
        try await Application(router: api.externalRouter(host: "Machine.test")).test(.live) {
            client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                try await client.send(
                    "GET /jibri/api/v1.0/health HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await client.response().hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func whoSaysNothingIsNotWaitedFor() async throws {
        let api = RecorderAPI(
            control: recorder, patience: .init(request: .milliseconds(20)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await api.internal(host: "127.0.0.1", port: 0).test(.live) { client in
            try await RawClient.connect(port: client.port ?? 0) { client in
                let answer = try await client.ending()
                #expect(answer == "")
            }
        }
    }

    /// The test client's server has none: it takes over the address only.
    @Test func connectionsHaveALimit() {
        let limits = [
            api.external(host: "127.0.0.1", port: 0).configuration,
            api.internal(host: "127.0.0.1", port: 0).configuration,
        ].map { ($0.availableConnectionsDelegate as? ConnectionMaximum)?.maximum }
        #expect(limits == [64, 64])
    }
}
