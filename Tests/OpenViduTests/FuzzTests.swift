import MediaKernel
import RoomHost
import Rooms
import SDP
import Testing

@testable import OpenVidu

/// Hostile frames never trap and are answered at most once, their connection stays, and nobody else
/// is harmed.
@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
    private static func frame(_ method: String, _ parameters: [String: JSONValue]) -> String {
        OpenViduFrame.text([
            "jsonrpc": "2.0", "id": "f", "method": .string(method), "params": .object(parameters),
        ])
    }

    /// One valid call of each method but `leaveRoom`, of a client that publishes nothing.
    private static func calls(about victim: TestClient) -> [(OpenViduMethod, [String: JSONValue])] {
        let connection = JSONValue.string(victim.id)
        let offer = JSONValue.string(OpenViduWorld.sdp())
        let receiving = JSONValue.string(OpenViduWorld.sdp([.audio, .video], .receiveOnly))
        return [
            (.ping, ["interval": 5000]),
            (.connect, ["sessionId": "0a1b.r1", "reconnect": .bool(true)]),
            (.sessionStatus, ["sessionId": "0a1b.r1"]),
            (.echo, ["x": 1]),
            (.joinRoom, ["token": "tok_A", "session": "r1", "metadata": "", "secret": ""]),
            (
                .publishVideo,
                [
                    "sdpOffer": offer, "doLoopback": .bool(false), "hasAudio": .bool(true),
                    "hasVideo": .bool(true), "audioActive": .bool(true),
                    "videoActive": .bool(false), "typeOfVideo": "SCREEN", "frameRate": 30,
                    "videoDimensions": #"{"width":640,"height":480}"#,
                ]
            ),
            (
                .streamPropertyChanged,
                [
                    "streamId": "str_CAM_X1y2_con_A", "property": "videoDimensions",
                    "newValue": #""{\"width\":480,\"height\":640}""#, "reason": "deviceRotated",
                ]
            ),
            (.unpublishVideo, [:]),
            (.prepareReceiveVideoFrom, ["sender": connection, "reconnect": .bool(false)]),
            (.receiveVideoFrom, ["sender": connection, "sdpOffer": receiving]),
            (.receiveVideoFrom, ["sender": connection, "sdpAnswer": receiving]),
            (
                .reconnectStream,
                ["stream": connection, "sdpString": receiving, "forciblyReconnect": .bool(false)]
            ),
            (
                .onIceCandidate,
                [
                    "endpointName": connection, "sdpMid": "0", "sdpMLineIndex": 0,
                    "candidate": "candidate:1 1 udp 1 127.0.0.1 5000 typ host",
                ]
            ),
            (.unsubscribeFromVideo, ["sender": connection]),
            (
                .sendMessage,
                ["message": .string(#"{"to":["\#(victim.id)"],"data":"x","type":"signal:a"}"#)]
            ),
            (
                .videoData,
                [
                    "height": 480, "width": 640, "videoActive": .bool(true),
                    "audioActive": .bool(true),
                ]
            ),
            (.forceUnpublish, ["streamId": "str_CAM_X1y2_con_A"]),
            (.forceDisconnect, ["connectionId": "con_A"]),
        ]
    }

    private static func world() async throws -> (OpenViduWorld, victim: TestClient, TestClient) {
        var limits = OpenViduLimits()
        (limits.framesBurst, limits.bytesBurst) = (100_000, 1 << 30)
        (limits.outboxFrames, limits.outboxBytes) = (100_000, 1 << 30)
        let world = OpenViduWorld(limits: limits)
        let victim = try await world.join("victim")
        try await victim.publish()
        return (world, victim, try await world.join("attacker", role: "host"))
    }

    private static func expectCalm(
        _ world: OpenViduWorld, _ clients: TestClient...
    ) async throws {
        for client in clients { #expect(try await client.call("ping")["value"] == "pong") }
        let peers = await world.host.snapshot().peers
        #expect(peers.map(\.name) == ["victim", "attacker"])
        #expect(peers.first?.tracks.map(\.isMuted) == [false, false])
    }

    @Test func everyTruncationOfEveryCallIsRefused() async throws {
        let (world, victim, attacker) = try await Self.world()
        for (method, parameters) in Self.calls(about: victim) {
            let frame = Self.frame(method.rawValue, parameters)
            for length in 0..<frame.utf8.count {
                await attacker.send(String(decoding: frame.utf8.prefix(length), as: UTF8.self))
                let answer = await attacker.socket.take { $0["method"] == nil }
                #expect(answer["error"]?["code"] == -32700, "\(method) \(length)")
            }
        }
        try await Self.expectCalm(world, victim, attacker)
    }

    /// Each parameter alone, so that no earlier check hides a later one.
    @Test func everyParameterOfAWrongTypeIsSurvived() async throws {
        let (world, victim, attacker) = try await Self.world()
        let values: [JSONValue] = [
            .null, -1, .integer(.max), .number(1e300), .number(-0.5), .bool(true), "", "x",
            .string(String(repeating: "é", count: 100_000)), .array([.null]), .object(["a": 1]),
            .string("[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]"), "1e999", "nan",
        ]
        for (method, parameters) in Self.calls(about: victim) {
            for name in parameters.keys.sorted() {
                for value in values {
                    let answer = await attacker.answer(
                        method.rawValue, parameters.merging([name: value]) { $1 })
                    #expect(
                        (answer["result"] == nil) != (answer["error"] == nil),
                        "\(method) \(name)")
                    _ = await attacker.answer("unpublishVideo")
                }
            }
        }
        try await Self.expectCalm(world, victim, attacker)
    }

    @Test func mutatedCallsNeverTrapAndHaveOneAnswerAtMost() async throws {
        let (world, victim, attacker) = try await Self.world()
        let frames = Self.calls(about: victim).map { Self.frame($0.0.rawValue, $0.1) }
        let words = [
            "null", "[]", "{}", "-1", "1e999", "99999999999999999999", "\"\"", "true", "\\ud800",
            "\u{0}", "😀", "}", "\"", ",", "params", "id", "9.5", "\\\"", "con_", "to",
        ]
        var random = SeededRandom(seed: 31)
        for round in 0..<2000 {
            var bytes = Array(frames[round % frames.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2:
                    bytes.insert(contentsOf: words.randomElement(using: &random)!.utf8, at: index)
                default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            await attacker.send(text)
            // The frames of this round have come before the answer to the next call.
            _ = try await attacker.call("ping")
            #expect(attacker.socket.takeAll().count { $0["method"] == nil } <= 1, "\(text)")
            _ = await attacker.answer("unpublishVideo")
        }
        try await Self.expectCalm(world, victim, attacker)
    }

    /// Texts inside a call that hold JSON themselves.
    @Test func everyTruncationOfInnerTextsIsRefused() throws {
        let signal = #"{"to":["con_A"],"data":"é","type":"signal:chat"}"#
        let dimensions = #""{\"width\":480,\"height\":640}""#
        #expect(try OutgoingSignal(signal).targets == ["con_A"])
        #expect(StreamTerms.dimensions(in: dimensions) == #"{"width":480,"height":640}"#)
        for length in 0..<signal.utf8.count {
            #expect(throws: OpenViduError.self) {
                try OutgoingSignal(String(decoding: signal.utf8.prefix(length), as: UTF8.self))
            }
        }
        for length in 0..<dimensions.utf8.count {
            #expect(StreamTerms.dimensions(in: String(dimensions.prefix(length))) == nil)
        }
    }

    /// Before anything is decoded.
    @Test func deepAndCrowdedFramesAreRefused() async throws {
        let (world, victim, attacker) = try await Self.world()
        let deep = String(repeating: "[", count: 50) + String(repeating: "]", count: 50)
        let crowd = "[" + Array(repeating: "0", count: 40_000).joined(separator: ",") + "]"
        for value in [deep, crowd] {
            let frame = #"{"id":7,"method":"echo","params":{"x":\#(value)}}"#
            await attacker.send(frame)
            let answer = await attacker.socket.take { $0["method"] == nil }
            #expect(answer["error"]?["code"] == -32700)
            var lobby = OpenViduLobby()
            guard case .answer(let text) = lobby.received(frame) else {
                Issue.record("the lobby does not answer")
                continue
            }
            #expect(text.contains("-32700"))
        }
        let signal = #"{"data":"x","to":\#(deep)}"#
        #expect(await attacker.code("sendMessage", ["message": .string(signal)]) == 600)
        try await Self.expectCalm(world, victim, attacker)
    }
}
