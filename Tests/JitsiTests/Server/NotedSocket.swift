import RoomHost
import Synchronization
import Testing
import Workbench
import XML

@testable import Jitsi

/// A WebSocket that keeps what it is told. While it is stuck it takes nothing.
final class NotedSocket: SignallingSocket {
    private struct State {
        var texts: [String] = []
        var isStuck: Bool
        var code: UInt16?
    }

    private let state: Mutex<State>

    init(isStuck: Bool = false) { state = Mutex(State(isStuck: isStuck)) }

    var texts: [String] { state.withLock { $0.texts } }
    /// With which it was closed; nil while it is open.
    var code: UInt16? { state.withLock { $0.code } }

    func send(_ text: String) async -> Bool {
        while state.withLock({ $0.isStuck && $0.code == nil }) { await Task.yield() }
        return state.withLock { state in
            guard state.code == nil else { return false }
            state.texts.append(text)
            return true
        }
    }

    func close(code: UInt16, reason: String) async {
        state.withLock { $0.code = $0.code ?? code }
    }

    /// Waits for what a writer on another task does.
    func waits(for condition: (NotedSocket) -> Bool) async -> Bool {
        await comesAbout { condition(self) }
    }
}

extension FocusWorld {
    /// The address of a member's channel, as its invitation says.
    func channel(of nick: String) throws -> BridgeAddress {
        let urls = (jingle(to: nick)?.elements ?? []).flatMap(\.elements).flatMap(\.elements)
            .filter { $0.isNamed("web-socket", "http://jitsi.org/protocol/colibri") }
            .compactMap { $0["url"] }
        // The same one in each content.
        #expect(urls.count == 3 && Set(urls).count == 1)
        let url = try #require(urls.first)
        let start = "wss://live.example/colibri-ws/default-id/r/\(nick)?pwd="
        #expect(url.hasPrefix(start))
        return BridgeAddress(
            conference: "r", endpoint: nick, password: String(url.dropFirst(start.count)))
    }

    func open(
        _ nick: String, over socket: NotedSocket = NotedSocket()
    ) async throws -> (place: BridgeEntrance, socket: NotedSocket) {
        let place = await entrance.open(try channel(of: nick), over: socket)
        return (try #require(place), socket)
    }
}
