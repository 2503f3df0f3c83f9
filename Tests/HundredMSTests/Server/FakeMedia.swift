import MediaKernel
import MediaServer
import PeerConnection
import RoomHost
import Rooms
import SDP
import Synchronization

struct FakeMediaError: Error, CustomStringConvertible {
    let description: String
}

/// A media plane that records its calls, and can refuse or delay them.
final class FakeMedia: RoomMedia {
    private struct State {
        var stream = AsyncStream.makeStream(of: MediaEvent.self)
        var isShutDown = false
        var calls: [String] = []
        var subscriptionCalls = 0
        var subscriptions: [PeerID: PeerSubscriptions] = [:]
        var refusals: Set<String> = []
        var gate: CheckedContinuation<Void, Never>?
        var gateWaiter: CheckedContinuation<Void, Never>?
        /// The call that has to wait.
        var gated: String?
    }

    private let state = Mutex(State())

    /// A reader that starts after the end sees only later events.
    var events: AsyncStream<MediaEvent> {
        state.withLock { state in
            defer {
                if state.isShutDown {
                    state.stream = AsyncStream.makeStream()
                    state.isShutDown = false
                }
            }
            return state.stream.stream
        }
    }

    /// The calls since the last look, in order.
    func calls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// The number of calls that set subscriptions, regardless of the number of peers.
    var subscriptionCalls: Int { state.withLock { $0.subscriptionCalls } }

    /// The peer's subscriptions, as last set.
    func subscriptions(of peer: PeerID) -> PeerSubscriptions? {
        state.withLock { $0.subscriptions[peer] }
    }

    func refuse(_ call: String) { state.withLock { _ = $0.refusals.insert(call) } }
    func allow(_ call: String) { state.withLock { _ = $0.refusals.remove(call) } }

    func say(_ event: MediaEvent) {
        state.withLock { _ = $0.stream.continuation.yield(event) }
    }

    func shutDown() {
        state.withLock { state in
            state.stream.continuation.finish()
            state.isShutDown = true
        }
    }

    /// The next such call waits for `openGate`: `addPeer` or `removePeer`.
    func closeGate(of call: String = "addPeer") { state.withLock { $0.gated = call } }

    /// Returns once a call waits at the gate.
    func waitForGate() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.gate == nil else { return true }
                state.gateWaiter = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func openGate() {
        let gate = state.withLock { state in
            defer { state.gate = nil }
            state.gated = nil
            return state.gate
        }
        gate?.resume()
    }

    private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

    private func check(_ call: String) throws {
        guard !state.withLock({ $0.refusals.contains(call) }) else {
            throw FakeMediaError(description: "no \(call) today")
        }
    }

    private func pass(_ call: String) async {
        await withCheckedContinuation { continuation in
            let (waits, waiter) = state.withLock { state in
                guard state.gated == call else {
                    return (false, nil as CheckedContinuation<Void, Never>?)
                }
                state.gate = continuation
                defer { state.gateWaiter = nil }
                return (true, state.gateWaiter)
            }
            if !waits { continuation.resume() }
            waiter?.resume()
        }
    }

    func addPeer(
        _ peer: PeerID, asksForVideos: Bool, isRecorder: Bool, layerNames: LayerNames
    ) async throws {
        note(
            "add \(peer)" + (asksForVideos ? " who asks for videos" : "")
                + (isRecorder ? " who records" : ""))
        try check("addPeer")
        await pass("addPeer")
    }

    func removePeer(_ peer: PeerID) async {
        note("remove \(peer)")
        await pass("removePeer")
    }

    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription {
        note("offer \(peer) \(offer.name)")
        try check("publishOffer")
        return SessionDescription(name: "answer to \(offer.name)")
    }

    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription {
        note("make offer \(key) \(peer)")
        return SessionDescription(name: "offer")
    }

    func answer(
        _ answer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws {
        note("answer \(peer) \(answer.name)")
        try check("subscribeAnswer")
    }

    func answerRefused(from peer: PeerID) async { note("answer refused \(peer)") }

    func closeConnection(_ key: ConnectionKey, of peer: PeerID) async {
        note("close \(key) of \(peer)")
    }

    func trickle(
        _ candidate: String, on key: ConnectionKey, from peer: PeerID
    ) async throws {
        note("trickle \(peer) \(key) \(candidate)")
        try check("trickle")
    }

    func setSubscriptions(_ subscriptions: [PeerSubscriptions]) async {
        state.withLock { $0.subscriptionCalls += 1 }
        for entry in subscriptions {
            state.withLock { $0.subscriptions[entry.peer] = entry }
            let tracks = entry.tracks.map(\.id.rawValue).joined(separator: " ")
            note("subscribe \(entry.peer) [\(tracks)]")
        }
    }

    func restartSubscribe(of peer: PeerID, signallingSocket: Int) async { note("restart \(peer)") }

    func setPreference(
        _ preference: LayerPreference, track: TrackID, of peer: PeerID
    ) async {
        note("prefer \(preference) of \(track) for \(peer)")
    }

    func sendTexts(_ texts: [(peer: PeerID, text: String)]) async {
        for (peer, text) in texts { note("data \(peer) \(text)") }
    }
}

/// A service that starts streams, or refuses.
final class FakeStreaming: LiveStreaming {
    private let state = Mutex(
        (calls: [String](), said: [String](), error: nil as (any Error)?))

    func calls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    func fail(_ error: any Error & Sendable) { state.withLock { $0.error = error } }

    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws {
        let urls = variants.map { $0.meetingURL ?? "-" }.joined(separator: " ")
        let look = layout.map { " as \($0)" } ?? ""
        try note(
            "start \(room) [\(urls)] vod=\(recording?.hlsVOD ?? false) "
                + "by \(startedBy) at \(authority)\(look)")
    }

    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws {
        try note("stop \(room) by \(stoppedBy)")
    }

    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws {
        let size = request.resolution.map { "\($0.width)x\($0.height)" } ?? "-"
        let pushes = request.pushes.map { " to \($0)" }.joined()
        try note(
            "record \(room) [\(request.meetingURL ?? "-")] \(size)\(pushes)"
                + "\(request.isRecorded ? "" : " without file") by \(startedBy) at \(authority)")
    }

    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws {
        try note("stop recording \(room) by \(stoppedBy)")
    }

    func said(_ message: Message, room: RoomID) {
        let sender = message.sender?.id.rawValue ?? "operator"
        state.withLock { $0.said.append("\(sender) \(message.body.text) in \(room)") }
    }

    func unsaid(_ messages: [String], room: RoomID) {
        state.withLock { $0.said.append("\(messages.count) deleted in \(room)") }
    }

    func said() -> [String] { state.withLock { $0.said } }

    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws {
        let words = metadata.map { "\($0.payload)/\($0.duration)" }
        try note("metadata [\(words.joined(separator: " "))] in \(room) by \(addedBy)")
    }

    private func note(_ call: String) throws {
        try state.withLock { state in
            state.calls.append(call)
            if let error = state.error { throw error }
        }
    }
}
