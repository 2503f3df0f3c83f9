import Logging
import MediaKernel
import Synchronization
import XML
import XMPP

@testable import Jibri
@testable import Service

/// What slots need, without anything behind it.
enum JibriDoubles {
    static let brewery = JID("jibribrewery@internal.meet.example")!
    static let focus = "jibribrewery@internal.meet.example/focus"
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func environment(
        _ name: String = "prod", host: String = "xmpp.meet.example", password: String = "b"
    ) -> JibriEnvironment {
        JibriEnvironment(
            name: name, hosts: [.init(name: host, port: 5222)],
            domain: "meet.example", baseURL: nil, roomDomainPrefix: "muc.", usageTimeout: nil,
            trustsAllCertificates: false, security: .ifPossible,
            control: JibriAccount(domain: "auth.meet.example", user: "jibri", password: "a"),
            brewery: .init(
                domain: "internal.meet.example", room: "jibribrewery", nickname: "rec"),
            call: JibriAccount(domain: "hidden.meet.example", user: "recorder", password: password))
    }

    static func settings(_ directory: String = "/nowhere") -> JibriSettings {
        var settings = JibriSettings()
        settings.id = "rec-1"
        settings.environments = [environment()]
        settings.recordingsDirectory = directory
        return settings
    }

    static func request(
        _ attributes: KeyValuePairs<String, String?>, from: String = focus
    ) -> Request {
        Request(
            XMLElement(
                "iq", "jabber:client", ["type": "set", "id": "1", "from": from],
                [XMLElement("jibri", JibriRequest.namespace, attributes)]))!
    }

    static func start(
        _ session: String, stream: String? = nil, broadcast: String? = nil, data: String? = nil,
        room: String = "Team.Call@muc.meet.example"
    ) -> Request {
        request([
            "action": "start", "recording_mode": stream == nil ? "file" : "stream",
            "room": room, "session_id": session, "streamid": stream,
            "you_tube_broadcast_id": broadcast, "app_data": data,
        ])
    }

    static func stop(_ session: String) -> Request {
        request(["action": "stop", "session_id": session])
    }

    static func call(
        _ session: String, stream: String? = nil, broadcast: String? = nil, data: String? = nil,
        room: String = "Team.Call@muc.meet.example", environment: JibriEnvironment = environment()
    ) -> JibriCall {
        let request = start(session, stream: stream, broadcast: broadcast, data: data, room: room)
        guard case .start(let start) = try? JibriRequest(request) else {
            fatalError("the request is one")
        }
        return JibriCall(start: start, environment: environment, host: environment.hosts[0])
    }
}

/// Notes what is logged.
final class LogLines: LogHandler {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
}

/// Notes what slots say.
final class PostDouble: BreweryPost {
    private let said = Mutex<[String]>([])

    func post(_ message: BreweryMessage, slot: Int, server: Int) {
        let text =
            switch message {
            case .stanza(let stanza):
                "answer "
                    + (stanza.elements.first.flatMap { JibriStatus($0) }.map(Self.words)
                        ?? "an error")
            case .tell(let status, _): "tell \(Self.words(status))"
            case .show(let status):
                "show \(status.isBusy ? "busy" : "idle")\(status.isHealthy ? "" : " sick")"
            }
        said.withLock { $0.append("\(slot): \(text)") }
    }

    private static func words(_ status: JibriStatus) -> String {
        switch status.failure {
        case .busy: "busy"
        case .error(let shouldRetry): shouldRetry ? "error retry" : "error final"
        case nil: status.state.rawValue
        }
    }

    /// What was said since the last time.
    func taken() -> [String] {
        said.withLock { said in
            defer { said = [] }
            return said
        }
    }

    var count: Int { said.withLock { $0.count } }
}

/// A recorder that does what the test says.
final class RecorderDouble: CallRecorder {
    private struct State {
        var orders: [String] = []
        var isFull = false
        var ticks = 0
    }

    private let state = Mutex(State())
    let news: AsyncStream<CallNews>
    private let queue: AsyncStream<CallNews>.Continuation

    init() { (news, queue) = AsyncStream.makeStream() }

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    var orders: [String] { state.withLock { $0.orders } }
    var ticks: Int { state.withLock { $0.ticks } }

    private func note(_ order: String) { state.withLock { $0.orders.append(order) } }

    func say(_ session: String, slot: Int = 0, _ event: CallNews.Event) {
        queue.yield(CallNews(session: session, slot: slot, event: event))
    }

    func hasCapacity() async -> Bool { !isFull }

    func admit(_ call: JibriCall, slot: Int) async -> Bool {
        note("admit \(call.session) \(slot) \(call.environment.name)")
        return !isFull
    }

    func begin(_ session: String, slot: Int) async { note("begin \(session) \(slot)") }
    func end(_ session: String, slot: Int) async { note("end \(session) \(slot)") }
    func endAll() async { note("end all") }
    var unfinished: [String] { [] }
    func tick(at now: Instant) async { state.withLock { $0.ticks += 1 } }
}
