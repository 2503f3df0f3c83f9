import MediaKernel
import RemoteRoom
import Testing

@testable import OpenVidu

/// Hostile servers: no frame traps, and what is unusable is said by name and passed over.
@Suite(.timeLimit(.minutes(5))) struct ClientFuzzTests {
    private static let stream = "str_CAM_1_con_Ann"

    private static let notifications: [(OpenViduNotification, [String: JSONValue])] = [
        (
            .participantJoined,
            [
                "id": "con_Ben", "createdAt": .integer(9), "metadata": "Ben",
                "streams": .array([ClientWorld.stream("Ben")]),
            ]
        ),
        (
            .participantPublished,
            ["id": "con_Ben", "streams": .array([ClientWorld.stream("Ben")])]
        ),
        (.participantUnpublished, ["connectionId": "con_Ben", "reason": "unpublish"]),
        (.participantLeft, ["connectionId": "con_Ben", "reason": "disconnect"]),
        (.participantEvicted, ["connectionId": "con_Ben", "reason": "disconnect"]),
        (
            .streamPropertyChanged,
            [
                "connectionId": "con_Ann", "streamId": .string(stream),
                "property": "audioActive", "newValue": "false", "reason": "publishAudio",
            ]
        ),
        (
            .iceCandidate,
            [
                "senderConnectionId": "con_Ann", "endpointName": .string(stream),
                "sdpMLineIndex": .integer(0), "sdpMid": "0",
                "candidate": "candidate:1 1 udp 1 127.0.0.1 5000 typ host",
            ]
        ),
        (.sendMessage, ["data": "hi", "type": "signal:chat", "from": "con_Ann"]),
        (
            .forciblyReconnectSubscriber,
            ["connectionId": "con_Ann", "streamId": .string(stream), "sdpOffer": "v=0"]
        ),
        (.mediaError, ["error": "none"]),
        (.recordingStarted, ["id": "ses_1", "name": "x"]),
    ]

    private static let wrong: [JSONValue] = [
        .null, .bool(true), .integer(-1), .number(1e300), .string(""),
        .string(String(repeating: "x", count: 100_000)), .array([]), .array([.integer(1)]),
        .object([:]), .object(["id": .integer(1)]), .array([.object(["id": .integer(1)])]),
    ]

    @Test func notificationsOfWrongTypesAreNamedAndPassedOver() throws {
        for (notification, parameters) in Self.notifications {
            for name in parameters.keys.sorted() {
                for value in Self.wrong {
                    var world = try ClientWorld.inside([ClientWorld.participant("Ann")])
                    var changed = parameters
                    changed[name] = value
                    world.tell(notification, changed)
                    #expect(world.end == nil && world.reconnects.isEmpty)
                    for warning in world.warnings where warning.contains("is not understood") {
                        #expect(warning.contains("\(notification.rawValue): '"))
                    }
                    // It goes on.
                    world.tell(.sendMessage, ["data": "after"])
                    guard case .message? = world.events.last else {
                        Issue.record("\(notification) with \(name) ends the stay")
                        return
                    }
                }
            }
        }
    }

    @Test func aMissingOrWrongNameIsSaid() throws {
        var world = try ClientWorld.inside()
        world.tell(.participantJoined, ["metadata": "x"])
        world.tell(.participantPublished, ["id": "con_A", "streams": .integer(1)])
        world.tell(.participantLeft, ["connectionId": .bool(true)])
        #expect(
            world.warnings == [
                "the server's frame is not understood: participantJoined: 'id' is missing",
                "the server's frame is not understood: participantPublished: 'streams' must be an "
                    + "array of objects",
                "the server's frame is not understood: participantLeft: 'connectionId' must be a "
                    + "text",
            ])
        // A server that says nothing else does not fill the log.
        for _ in 0..<1000 { world.tell(.participantJoined, [:]) }
        #expect(world.warnings.count == ClientLimits.loggedFaults)
    }

    @Test func aParticipantThatCannotBeReadIsPassedOver() throws {
        let ben = JSONValue.object([
            "id": "con_Ben",
            "streams": .array([.object(["id": "str_CAM_1_con_Ben", "hasAudio": "perhaps"])]),
        ])
        let world = try ClientWorld.inside([ben, ClientWorld.participant("Ann")])
        #expect(world.end == nil && world.roster.map(\.id) == ["con_Ann"])
        #expect(
            world.warnings.count == 1
                && world.warnings[0].hasPrefix(
                    "the server's frame is not understood: joinRoom: 'hasAudio'")
        )
    }

    @Test func anAnswerToJoinRoomOfWrongTypesEndsTheStay() {
        for name in ["id", "sessionId", "mediaServer", "value"] {
            for value in [JSONValue.bool(true), .integer(1), .array([.integer(1)])] {
                var world = ClientWorld()
                world.open()
                var result = world.welcome([ClientWorld.participant("Ann")])
                result[name] = value
                guard let call = world.calls.first(where: { $0.method == "joinRoom" }) else {
                    Issue.record("it does not join")
                    return
                }
                world.receive(
                    OpenViduFrame.text([
                        "jsonrpc": "2.0", "id": .integer(call.id), "result": .object(result),
                    ]))
                guard case .protocolViolation(let words)? = world.end else {
                    Issue.record("\(name): \(String(describing: world.end))")
                    continue
                }
                #expect(words.hasPrefix("joinRoom: '\(name)'"))
            }
        }
    }

    @Test func framesCutAnywhereCloseTheSocketAndDoNotEndTheStay() throws {
        for (notification, parameters) in Self.notifications {
            let frame = Array(OpenViduFrame.notification(notification, parameters).utf8)
            for length in 0..<frame.count {
                var world = try ClientWorld.inside([ClientWorld.participant("Ann")])
                world.receive(String(decoding: frame[..<length], as: UTF8.self))
                #expect(world.end == nil && world.reconnects.count == 1)
            }
        }
    }

    @Test(arguments: [
        "", "null", "[]", "7", "{}", #"{"id":{}}"#, #"{"id":"a","result":{}}"#, #"{"id":99}"#,
        #"{"method":7}"#, #"{"id":1,"error":7}"#, #"{"id":1,"error":{"code":1e400}}"#,
        #"{"id":1,"error":{"code":"x"}}"#, #"{"id":1,"result":[]}"#, #"{"id":-1,"result":{}}"#,
        #"{"method":"participantJoined","params":7}"#, #"{"method":"participantJoined"}"#,
        #"{"id":1e30,"result":{}}"#,
    ])
    func oddFramesDoNoHarm(frame: String) throws {
        var world = try ClientWorld.inside([ClientWorld.participant("Ann")])
        world.receive(frame)
        world.pass(.seconds(30))
        #expect(world.end == nil)
    }

    @Test func framesAreNotNestedDeeply() throws {
        var world = try ClientWorld.inside()
        let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        world.receive(#"{"method":"sendMessage","params":{"data":"# + deep + "}}")
        #expect(world.reconnects.count == 1)
    }

    @Test func aSessionHasSoManyParticipants() throws {
        var world = try ClientWorld.inside()
        for number in 0..<(ClientLimits.participants + 10) {
            world.session.received(
                OpenViduFrame.notification(
                    .participantJoined, ["id": .string("con_\(number)"), "metadata": ""]),
                at: world.now)
            while world.session.poll() != nil {}
        }
        world.tell(.participantJoined, ["id": "con_more", "metadata": ""])
        #expect(world.roster.count == ClientLimits.participants)
        for _ in 0..<100 { world.tell(.mediaError, ["error": "again"]) }
        // Ten more came above, and were told.
        #expect(world.warnings.count == ClientLimits.loggedFaults - 10)
    }

    @Test func randomChangesOfFramesNeverTrap() throws {
        var random = SeededRandom(seed: 31)
        var world = try ClientWorld.inside([ClientWorld.participant("Ann")])
        for round in 0..<20_000 {
            let (notification, parameters) =
                Self.notifications[round % Self.notifications.count]
            var frame = Array(OpenViduFrame.notification(notification, parameters).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<frame.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: frame[place] = UInt8.random(in: 0...255, using: &random)
                case 1: frame.remove(at: place)
                default: frame.insert(frame[place], at: place)
                }
            }
            world.receive(String(decoding: frame, as: UTF8.self))
            world.pass(.milliseconds(500))
            if !world.reconnects.isEmpty || world.end != nil || round % 100 == 0 {
                world = try ClientWorld.inside([ClientWorld.participant("Ann")])
            }
        }
    }
}
