import Foundation
import HundredMS
import HundredMSTerms
import MediaKernel
import MediaServer
import RoomHost
import Rooms
import SDP
import Synchronization
import Testing

/// A room with fake media, fake sockets and a clock that only the test moves.
final class SignallingFixture: Sendable {
    let media = FakeMedia()
    let streaming = FakeStreaming()
    let host: RoomHost
    let signalling: HundredMSEntrance
    private let time: TestTime

    final class TestTime: Sendable {
        let now = Mutex(Instant.zero)
    }

    init(
        policy: Policy = .standard, description: String = "", defaultImage: String? = nil,
        roomLimits: RoomLimits = RoomLimits(),
        limits: SignallingLimits = SignallingLimits(), calls: any GroupCalling = NoGroupCalls()
    ) {
        let time = TestTime()
        self.time = time
        let clock = RoomClock(
            now: { time.now.withLock { $0 } },
            wall: {
                let passed = time.now.withLock { $0.nanoseconds } / 1_000_000
                return UnixTime(milliseconds: 1_720_000_000_000 + passed)
            })
        host = RoomHost(
            room: Room(
                id: "r1", name: "demo", description: description, defaultImage: defaultImage,
                policy: policy,
                limits: roomLimits, seed: 7),
            media: media, streaming: streaming, calls: calls,
            protocols: [HundredMS(limits: limits)],
            clock: clock)
        signalling = HundredMSEntrance(host)
    }

    /// Moves the clock, then ticks.
    func pass(_ duration: Duration) async {
        time.now.withLock { $0 += duration }
        await host.tick()
    }

    /// Events of the media plane, processed when this returns.
    func hear(_ events: MediaEvent...) async {
        for event in events { media.say(event) }
        media.shutDown()
        await host.run()
    }

    func claims(_ user: String, role: String, token: String = "") -> SignallingClaims {
        SignallingClaims(
            room: "r1", userID: user, role: role, tokenID: token, authority: "rooms.test:8443")
    }

    /// A connection that has received its role and the room's state, and nothing since.
    func connect(
        _ peer: PeerID, role: String = "host", user: String? = nil, token: String = "",
        socket: FakeSocket = FakeSocket()
    ) async throws -> TestClient {
        let id = await signalling.open(
            peer: peer, claims: claims(user ?? "user-\(peer)", role: role, token: token),
            socket: socket)
        return TestClient(
            fixture: self, peer: peer, socket: socket, connection: try #require(id))
    }

    /// A peer that has joined and read everything.
    func join(_ peer: PeerID, role: String = "host") async throws -> TestClient {
        let client = try await connect(peer, role: role)
        let name = peer.rawValue.uppercased()
        let reply = try await client.call(
            "join", #"{"name":"\#(name)","data":"","offer":{"type":"offer","sdp":"o-\#(peer)"}}"#)
        #expect(reply.error == nil, "\(reply)")
        _ = try await client.drain()
        return client
    }
}

/// The client's end of one fake socket.
struct TestClient: Sendable {
    let fixture: SignallingFixture
    let peer: PeerID
    let socket: FakeSocket
    let connection: ConnectionID

    private static let count = Atomic<Int>(0)

    /// A short name in place of a description is sent as the smallest description of that name.
    func send(_ text: String) async {
        await fixture.signalling.received(TestDescription.spelled(out: text), on: connection)
    }

    func notify(_ method: String, _ params: String = "{}") async {
        await send(#"{"method":"\#(method)","params":\#(params)}"#)
    }

    /// Makes a call and returns its answer; frames before it are dropped.
    func call(_ method: String, _ params: String = "{}") async throws -> TestFrame {
        let id = "c\(Self.count.add(1, ordering: .relaxed).newValue)"
        await send(#"{"method":"\#(method)","params":\#(params),"id":"\#(id)","jsonrpc":"2.0"}"#)
        while let frame = try await next() {
            if frame.id == id { return frame }
        }
        throw FakeMediaError(description: "no answer to \(method)")
    }

    func next() async throws -> TestFrame? { try await socket.next().map(TestFrame.init) }

    /// All waiting frames. A ping marks their end, so no test has to wait for frames that do not
    /// come.
    func drain() async throws -> [TestFrame] {
        let id = "c\(Self.count.add(1, ordering: .relaxed).newValue)"
        await send(#"{"method":"ping","params":{},"id":"\#(id)","jsonrpc":"2.0"}"#)
        var frames: [TestFrame] = []
        while let frame = try await next(), frame.id != id { frames.append(frame) }
        return frames
    }

    /// The methods of the waiting frames.
    func methods() async throws -> [String] { try await drain().map { $0.method ?? "" } }

    func close() async { await fixture.signalling.closed(connection) }
}

/// Descriptions by their names, which is all that the fake media plane reads.
enum TestDescription {
    private static let beginning = #"v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns="#
    private static let end = #"\r\nt=0 0\r\n"#

    /// Replaces each short name in a description's place by the smallest description of that name.
    static func spelled(out frame: String) -> String {
        frame.replacing(#/"sdp":"([^"\\]{0,40})"/#) { match in
            match.1.hasPrefix("v=") && match.1 != "v=0"
                ? String(match.0) : #""sdp":"\#(beginning)\#(match.1)\#(end)""#
        }
    }

    static func named(in frame: String) -> String {
        frame.replacing(#/"sdp":"v=0\\r\\no=[^"]*?\\r\\ns=([^"\\]*)\\r\\nt=0 0\\r\\n"/#) { match in
            #""sdp":"\#(match.1)""#
        }
    }
}

extension MediaEvent {
    static func subscribeOffer(_ peer: PeerID, sdp: String, socket: Int = 0) -> MediaEvent {
        .subscribeOffer(peer, SessionDescription(name: sdp), signallingSocket: socket)
    }
}

/// A refusal as ``TestFrame/error`` has it. Tests name the error; its words stand once, in
/// ``RefusalWordsTests``.
func refusal(_ error: SignallingError) -> String { "\(error.code) \(error.message)" }

/// One frame from the server.
struct TestFrame: CustomStringConvertible, Sendable {
    let text: String
    let json: JSONValue

    init(_ text: String) throws {
        self.text = text
        json = try JSONDocument.decode(JSONValue.self, from: text.utf8)
    }

    var id: String? { json["id"].string }
    var method: String? { json["method"].string }
    var params: JSONValue { json["params"] }
    var result: JSONValue { json["result"] }
    var error: String? {
        guard let code = json["error"]["code"].integer else { return nil }
        return "\(code) \(json["error"]["message"].string ?? "")"
    }

    /// The error's.
    var code: Int? { json["error"]["code"].integer.map { Int($0) } }

    var description: String { text }
}

extension JSONValue {
    subscript(_ key: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    subscript(_ index: Int) -> JSONValue {
        guard case .array(let items) = self, items.indices.contains(index) else { return .null }
        return items[index]
    }

    var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    var keys: [String] {
        guard case .object(let members) = self else { return [] }
        return members.keys.sorted()
    }
}
