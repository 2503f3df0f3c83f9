import Catalogue
import Foundation
import Hummingbird
import HummingbirdTesting
import HundredMSTerms
import Logging
import MediaKernel
import ObjectStorage
import Rooms
import Signing
import Stage
import Streams
import Synchronization
import Tokens
import Workbench

@testable import ControlAPI

/// A server with its own directory and doubles behind its two interfaces.
struct TestWorld: Sendable {
    static let now = UnixTime(seconds: 1_760_000_000)

    let scratch: Scratch
    let control = ControlDouble()
    let gateway = GatewayDouble()
    let authority: TokenAuthority
    let catalogue: Catalogue
    let calls: CallsDouble
    let recordings: RecordingLibrary
    let playbackKey: SigningKey
    var configuration: HTTPServiceConfiguration
    var metrics: [any MetricsSource] = []
    var edges: LiveEdges?
    /// Besides 100ms' protocol.
    var endpoints: [any SignallingEndpoint] = []
    var renewedBody: HTTPService.RenewedBody = { _ in nil }
    let admin = AdminDouble()

    /// - Parameter store: the store of assets that have a location.
    init(store: StoreAccess? = nil) async throws {
        scratch = try Scratch()
        let directory = scratch.path
        try FileManager.default.createDirectory(
            atPath: "\(directory)/out/demo/s1/stream_0", withIntermediateDirectories: true)
        for name in [
            "index.html", "recordings.html", "admin.html", "room.html", "watch.html", "embed.html",
            "shared.html",
        ] {
            try scratch.write("<!doctype html><title>\(name)</title>".utf8, to: "web/\(name)")
        }
        try scratch.write("export {}".utf8, to: "web/assets/room/room.js")
        authority = try TokenAuthority(accessKey: "key", secret: TestToken.secret)
        catalogue = try Catalogue(path: "\(directory)/catalogue.sqlite")
        calls = CallsDouble(catalogue)
        guard let key = SigningKey(secret: Array(repeating: 7, count: 32), purpose: .assetLinks),
            let playback = SigningKey(secret: Array(repeating: 7, count: 32), purpose: .playback)
        else { fatalError("a secret of 32 bytes is long enough") }
        playbackKey = playback
        recordings = RecordingLibrary(
            catalogue: catalogue, root: "\(directory)/recordings", key: key,
            store: store)
        configuration = HTTPServiceConfiguration(
            host: "127.0.0.1", port: 0, outputDirectory: "\(directory)/out",
            pagesDirectory: "\(directory)/web")
    }

    var directory: String { scratch.path }

    func write(_ path: String, _ content: some Sequence<UInt8>) throws {
        try scratch.write(content, to: "out/\(path)")
    }

    var service: HTTPService {
        get throws {
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            return try HTTPService(
                configuration, authority: authority, control: control, gateway: gateway,
                calls: calls,
                signalling: [HundredMSEndpoint(gateway: gateway)] + endpoints,
                templates: TemplatesDouble(),
                recordings: recordings, playbackKey: playbackKey, edges: edges,
                metrics: metrics,
                renewedBody: renewedBody, admin: admin, logger: logger,
                clock: { TestWorld.now })
        }
    }

    /// Runs requests against the routes, without a network.
    func routes(
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        try await Application(responder: try service.responder()).test(.router, body)
    }

    /// Runs requests against the routes of a world with a stream, `stream-1` of room `demo`.
    static func withStream(
        _ body:
            @escaping @Sendable (
                TestWorld, any TestClientProtocol, HTTPFields
            ) async throws -> Void
    ) async throws {
        let world = try await TestWorld()
        let headers = try await world.managementHeaders()
        try await world.routes { client in
            _ = try await client.execute(
                uri: "/v2/live-streams/room/demo/start", method: .post, headers: headers)
            try await body(world, client, headers)
        }
    }

    /// Runs requests against a server on its own port.
    func live(
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        try await service.application().test(.live, body)
    }

    /// The path below which an asset is served, valid for `seconds`.
    func link(to asset: String, for seconds: Int64 = 60) -> String {
        let now = Self.now
        let link = AssetLink(asset: asset, expiry: now + .seconds(seconds))
        return "/recordings/\(link?.signed(with: recordings.key) ?? "")"
    }

    /// The path below which a live stream with a signed address is served.
    func playback(of stream: String, in room: String = "demo", for seconds: Int64 = 60) -> String {
        let link = AssetLink(asset: stream, expiry: Self.now + .seconds(seconds))
        return "/hls/\(room)/\(link?.signed(with: playbackKey) ?? "")"
    }

    func managementHeaders() async throws -> HTTPFields {
        [.authorization: "Bearer \(try authority.makeManagementToken(at: TestWorld.now))"]
    }

    func roomToken(room: RoomID = "demo") async throws -> String {
        try authority.makeRoomToken(
            room: room, user: "ann", role: "host", at: TestWorld.now)
    }
}

/// Live streams that exist only as records; requests are recorded.
final class ControlDouble: LiveStreamControl {
    struct State {
        var streams: [LiveStream] = []
        var requests: [LiveStreamRequest] = []
        var failure: LiveStreamError?
        var metadata: [TimedMetadataRequest] = []
        var captions: [CaptionRequest] = []
        var captionLanguage: String?
        /// Of each start.
        var warnings: [String] = []
        var isShuttingDown = false
        /// The reason why the directories cannot be used.
        var storageLoss: String?
        /// The streams whose preview was looked at.
        var previewed: [StreamID] = []
        var picturesInUse: Set<UploadedPicture> = []
    }

    let state = Mutex(State())

    func start(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        let result: Result<[LiveStream], LiveStreamError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            state.requests.append(request)
            let made = request.variants.map { variant in
                let id = StreamID("stream-\(state.streams.count + 1)")
                var stream = LiveStream(
                    id: id, room: room, kind: request.kind, session: "session-1",
                    plan: StreamPlan(
                        variant: variant,
                        recording: request.recording.map { LiveStreamRecording($0) },
                        destination: request.destination
                    ).pushed(to: request.outputs),
                    playback: LiveStream.Playback(url: "http://h/hls/\(room)/\(id)/master.m3u8"),
                    createdAt: UnixTime(nanoseconds: 1_679_459_050_155_978_231),
                    startedBy: startedBy?.rawValue ?? "")
                state.streams.append(stream)
                stream.warnings = state.warnings
                return stream
            }
            return .success(made)
        }
        return try result.get()
    }

    var picturesInUse: Set<UploadedPicture> { state.withLock { $0.picturesInUse } }

    func update(
        stream: StreamID, _ change: LiveStreamChange
    ) async throws(LiveStreamError) -> LiveStream {
        let result: Result<LiveStream, LiveStreamError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard let index = state.streams.firstIndex(where: { $0.id == stream }) else {
                return .failure(.notFound("stream \(stream)"))
            }
            if let layout = change.layout {
                try? state.streams[index].plan.layout.merge(layout)
            }
            if let roles = change.roles { state.streams[index].plan.audio.roles = roles.names }
            return .success(state.streams[index])
        }
        return try result.get()
    }

    func stop(
        room: RoomID, kind: LiveStream.Kind, metadata: Set<String>?, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        let stopped = state.withLock { state in
            for index in state.streams.indices
            where state.streams[index].room == room && state.streams[index].kind == kind {
                state.streams[index].status = .stopping
            }
            return state.streams.filter { $0.room == room && $0.kind == kind }
        }
        guard !stopped.isEmpty else { throw .notFound("room \(room) has no live stream") }
        return stopped
    }

    func stop(stream: StreamID, stoppedBy: PeerID?) async throws(LiveStreamError) -> LiveStream {
        let found = state.withLock { state -> LiveStream? in
            guard let index = state.streams.firstIndex(where: { $0.id == stream }) else {
                return nil
            }
            state.streams[index].status = .stopping
            return state.streams[index]
        }
        guard let found else { throw .notFound("stream \(stream)") }
        return found
    }

    func setRecording(
        stream: StreamID, isPaused: Bool
    ) async throws(LiveStreamError) -> LiveStream {
        let result: Result<LiveStream, LiveStreamError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard let index = state.streams.firstIndex(where: { $0.id == stream }) else {
                return .failure(.notFound("stream \(stream)"))
            }
            state.streams[index].recordingPause = isPaused ? .paused : .resumed
            return .success(state.streams[index])
        }
        return try result.get()
    }

    func addOutput(
        _ target: PushTarget, layer: Int, to stream: StreamID
    ) async throws(LiveStreamError) -> (LiveStream, StreamOutput) {
        let result: Result<(LiveStream, StreamOutput), LiveStreamError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard let index = state.streams.firstIndex(where: { $0.id == stream }) else {
                return .failure(.notFound("stream \(stream)"))
            }
            state.streams[index].plan.lastOutput += 1
            let output = StreamOutput(
                id: "\(state.streams[index].plan.lastOutput)", layer: layer, target: target)
            state.streams[index].plan.outputs.append(output)
            return .success((state.streams[index], output))
        }
        return try result.get()
    }

    func removeOutput(
        _ id: String, of stream: StreamID
    ) async throws(LiveStreamError) -> LiveStream {
        let result: Result<LiveStream, LiveStreamError> = state.withLock { state in
            guard let index = state.streams.firstIndex(where: { $0.id == stream }),
                state.streams[index].plan.outputs.contains(where: { $0.id == id })
            else { return .failure(.notFound("output \(id) of stream \(stream)")) }
            state.streams[index].plan.outputs.removeAll { $0.id == id }
            return .success(state.streams[index])
        }
        return try result.get()
    }

    func running(in room: RoomID) -> [LiveStream] {
        state.withLock { $0.streams.filter { $0.room == room && $0.status == .running } }
    }

    func addTimedMetadata(
        _ requests: [TimedMetadataRequest], to stream: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        let result: Result<LiveStream, LiveStreamError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard let found = state.streams.first(where: { $0.id == stream }) else {
                return .failure(.notFound("stream \(stream)"))
            }
            state.metadata += requests
            return .success(found)
        }
        return try result.get()
    }

    func addCaptions(
        _ requests: [CaptionRequest], language: String?, to stream: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream {
        let result: Result<LiveStream, LiveStreamError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard let found = state.streams.first(where: { $0.id == stream }) else {
                return .failure(.notFound("stream \(stream)"))
            }
            state.captions += requests
            state.captionLanguage = language
            return .success(found)
        }
        return try result.get()
    }

    var isShuttingDown: Bool { get async { state.withLock { $0.isShuttingDown } } }

    func checkStorage() async throws(LiveStreamError) {
        if let loss = state.withLock({ $0.storageLoss }) { throw .storage(loss) }
    }

    private func read() throws(LiveStreamError) {
        if case .catalogueUnavailable(let reason) = state.withLock({ $0.failure }) {
            throw .catalogueUnavailable(reason)
        }
    }

    func stream(_ id: StreamID) async throws(LiveStreamError) -> LiveStream? {
        try read()
        return state.withLock { $0.streams.first { $0.id == id } }
    }

    func streams(_ query: LiveStreamQuery) async throws(LiveStreamError) -> LiveStreamPage {
        try read()
        return state.withLock { state in
            let found = Array(
                state.streams.reversed().filter { stream in
                    (query.subject == .recordings
                        ? stream.plan.recording?.isWanted == true : stream.kind == .stream)
                        && (query.room ?? stream.room) == stream.room
                        && (query.session ?? stream.session) == stream.session
                        && (query.status ?? stream.status) == stream.status
                }.drop { stream in query.start.map { stream.id != $0 } ?? false }
                    .dropFirst(query.start == nil ? 0 : 1).prefix(query.limit))
            return LiveStreamPage(streams: found, last: found.last?.id)
        }
    }

    func previewWanted(of stream: StreamID) async {
        state.withLock { $0.previewed.append(stream) }
    }

    func current(
        room: RoomID, kind: LiveStream.Kind
    ) async throws(LiveStreamError) -> LiveStream? {
        try read()
        return state.withLock { $0.streams.last { $0.room == room && $0.kind == kind } }
    }
}

/// A room gateway that answers every message with `echo <message>`.
final class GatewayDouble: SignallingGateway {
    struct State {
        var refusal: APIError?
        /// Why a room cannot be joined at all.
        var closing: APIError?
        /// The peers in a room, with their tokens.
        var present: [PeerID: String] = [:]
        var opened: [PeerID] = []
        var userAgents: [String] = []
        var authorities: [String] = []
        var closed: [PeerID] = []
        /// The reported changes of rooms.
        var changes: [CatalogueRoom] = []
        /// The reported values of `isEnabled` among them.
        var enabling: [Bool] = []
        var policy: Policy = .standard
        /// The reason why it cannot be used.
        var policyRefusal: APIError?
        /// The only room that may be occupied.
        var room = Room(id: "hall", name: "Hall", policy: .standard, seed: 1)
        /// The messages in it, and the ways it was ended.
        var messages: [Message] = []
        var endings: [String] = []
    }

    let state = Mutex(State())
    private let closing = AsyncStream.makeStream(of: PeerID.self)

    func initialConfiguration(
        peer: PeerID?, claims: RoomTokenClaims
    ) async throws(APIError) -> InitialConfiguration {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        return InitialConfiguration(
            iceServers: [.init(urls: ["stun:s.example.test"])], enabledFlags: ["onDemandTracks"])
    }

    func admit(peer: PeerID, claims: RoomTokenClaims) async throws(APIError) {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    }

    func checkOpen(_ room: RoomID) async throws(APIError) {
        if let refusal = state.withLock({ $0.closing }) { throw refusal }
    }

    func isHere(_ peer: PeerID, claims: RoomTokenClaims) async -> Bool {
        state.withLock { $0.present[peer] == claims.tokenID }
    }

    func open(
        peer: PeerID, claims: RoomTokenClaims, userAgent: String, authority: String,
        socket: WebSocketConnection, messages: WebSocketMessages
    ) async {
        state.withLock {
            $0.opened.append(peer)
            $0.userAgents.append(userAgent)
            $0.authorities.append(authority)
        }
        for await text in messages {
            switch text {
            case "close": socket.close(code: 4001, reason: "as you wish")
            default: _ = await socket.send("echo \(text)")
            }
        }
        state.withLock { $0.closed.append(peer) }
        closing.continuation.yield(peer)
    }

    func nextClosed() async -> PeerID? { await closing.stream.first { _ in true } }

    func rooms() async -> [RoomSummary] {
        [RoomSummary(id: "demo", name: "Demo", peerCount: 2)]
    }

    func openRoles(of room: RoomID?) async -> [String] { ["guest", "host"] }

    func policy(of room: RoomID) async throws(APIError) -> Policy {
        let (policy, refusal) = state.withLock { ($0.policy, $0.policyRefusal) }
        if let refusal { throw refusal }
        return policy
    }

    func roomChanged(_ room: CatalogueRoom, saysEnabled: Bool) async {
        state.withLock { state in
            state.changes.append(room)
            if saysEnabled { state.enabling.append(room.isEnabled) }
        }
    }
}

/// It has one rule for templates: no role is called `bad`.
struct TemplatesDouble: TemplateControl {
    let standard = StandardTemplate(
        id: "default",
        document: TemplateDocument(
            roles: ["host": .object(["name": .string("host")])],
            destinations: ["hlsDestinations": .object([:])]))

    func check(_ document: TemplateDocument, id: String) throws(APIError) {
        guard document.roles["bad"] == nil else { throw .invalidTemplate("'roles.bad' is bad") }
        guard !document.roles.isEmpty else { throw .invalidTemplate("no roles") }
    }
}

/// Uses a real room, without sockets.
extension GatewayDouble: RoomControl {
    static let wall = UnixTime(milliseconds: 1_760_000_000_123)

    func join(
        _ peer: PeerID, user: String? = nil, role: String = "guest", data: String = ""
    ) throws {
        try state.withLock { state in
            try state.room.joinRequested(
                JoinRequest(
                    peer: peer, userID: user ?? "user-\(peer)", role: role,
                    name: peer.rawValue.uppercased(), metadata: data),
                at: .zero)
            try state.room.joinCompleted(peer, wall: Self.wall)
        }
    }

    private func ruled<Value>(
        _ id: RoomID, _ body: (inout State) throws(RoomError) -> Value
    ) throws(APIError) -> Value {
        do {
            return try state.withLock { state throws(any Error) in
                guard state.room.id == id, !state.room.peers.visible.isEmpty else {
                    throw APIError.inactiveRoom(id)
                }
                return try body(&state)
            }
        } catch let error as RoomError {
            throw APIError(error)
        } catch {
            throw .inactiveRoom(id)
        }
    }

    func activeRoom(_ id: RoomID) async -> ActiveRoom? {
        state.withLock { state in
            guard state.room.id == id, let session = state.room.session,
                !state.room.peers.visible.isEmpty
            else { return nil }
            return ActiveRoom(
                id: id, name: state.room.name, session: session, peers: state.room.peers.visible)
        }
    }

    func peer(_ id: PeerID, in room: RoomID) async throws(APIError) -> Peer {
        try ruled(room) { state throws(RoomError) in try state.room.peers.visiblePeer(id) }
    }

    func send(
        _ body: OpaqueJSON, type: String, to audience: Audience, in room: RoomID
    ) async throws(APIError) {
        try ruled(room) { state throws(RoomError) in
            state.messages.append(
                try state.room.operatorSpoke(
                    to: audience, type: type, body: body, at: .zero, wall: Self.wall))
        }
    }

    func change(
        _ peer: PeerID, in room: RoomID, name: String?, metadata: String?, role: String?
    ) async throws(APIError) -> Peer {
        try ruled(room) { state throws(RoomError) in
            try state.room.peerChanged(peer, name: name, metadata: metadata, role: role)
        }
    }

    func remove(_ peer: PeerID, from room: RoomID, reason: String) async throws(APIError) {
        try ruled(room) { state throws(RoomError) in
            try state.room.peerRemoved(peer, reason: reason)
        }
    }

    func remove(role: String, from room: RoomID, reason: String) async throws(APIError) {
        try ruled(room) { state throws(RoomError) in
            try state.room.peersRemoved(role: role, reason: reason)
        }
    }

    func end(_ room: RoomID, isLocked: Bool, reason: String) async throws(APIError) {
        try ruled(room) { state throws(RoomError) in
            state.endings.append("\(isLocked) \(reason)")
            state.room.ended(lock: isLocked, reason: reason)
        }
    }
}

/// Reads answers.
enum TestJSON {
    static func decode<T: Decodable>(_ type: T.Type, _ response: TestResponse) throws -> T {
        try JSONDocument.decode(type, from: Data(response.body.readableBytesView))
    }

    /// To compare with an error's ``APIError/body``: tests name the error, and ``MistakeTests`` has
    /// the words.
    static func refusal(_ response: TestResponse) throws -> APIError.Body {
        try decode(APIError.Body.self, response)
    }

    static func object(_ response: TestResponse) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(response.body.readableBytesView))
            as? [String: Any] ?? [:]
    }
}

extension StreamPlan {
    fileprivate func pushed(to targets: [PushTarget]) -> StreamPlan {
        var plan = self
        plan.outputs = targets.enumerated().map {
            StreamOutput(id: "\($0.offset + 1)", target: $0.element)
        }
        plan.lastOutput = targets.count
        return plan
    }
}
