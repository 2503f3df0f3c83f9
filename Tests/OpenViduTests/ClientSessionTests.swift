import MediaClient
import MediaKernel
import PeerConnection
import RemoteRoom
import SDP
import Testing

@testable import OpenVidu

/// What a client says to a server, and makes of its frames.
@Suite struct ClientSessionTests {
    private static let ann = ClientWorld.participant("Ann")
    private static let stream = "str_CAM_1_con_Ann"

    // MARK: Joining

    @Test func aPingAndTheSecretComeFirst() {
        var world = ClientWorld()
        world.session.opened(at: world.now)
        world.drain()
        #expect(
            world.calls.map(\.method) == ["ping", "joinRoom"] && world.calls.map(\.id) == [0, 1])
        #expect(world.parameters("ping") == ["interval": .integer(5000)])
        #expect(
            world.parameters("joinRoom") == [
                "token": "wss://h?sessionId=ses_1", "session": "ses_1", "platform": "Roomcast",
                "sdkVersion": "2.32.1", "metadata": "", "secret": "MY_SECRET",
                "recorder": .bool(true), "stt": .bool(false),
            ])
    }

    @Test func aTokenMakesNoRecorder() {
        var world = ClientWorld(secret: nil)
        world.session.opened(at: world.now)
        world.drain()
        let joining = world.parameters("joinRoom")
        #expect(joining?["recorder"] == .bool(false) && joining?["secret"] == "")
    }

    @Test func everyStreamThatIsThereIsReceivedByAConnectionOfItsOwn() throws {
        let world = try ClientWorld.inside([Self.ann, ClientWorld.participant("Ben")])
        #expect(world.events.first == .joined)
        let tracks = world.roster.map { $0.tracks.map(\.id.rawValue) }
        #expect(
            tracks == [
                [Self.stream + "-audio", Self.stream + "-video"],
                ["str_CAM_1_con_Ben-audio", "str_CAM_1_con_Ben-video"],
            ])
        #expect(world.media.count == 2)
        #expect(
            world.media.first
                == .offer(
                    StreamConnectionID(0),
                    [
                        .audio: TrackID(Self.stream + "-audio"),
                        .video: TrackID(Self.stream + "-video"),
                    ]))
    }

    @Test func withoutVideoOnlySoundIsReceived() {
        var world = ClientWorld(receivesVideo: false)
        world.open()
        let silent = ClientWorld.participant(
            "Ben", streams: [ClientWorld.stream("Ben", ["hasAudio": .bool(false)])])
        world.answer("joinRoom", with: world.welcome([Self.ann, silent]))
        #expect(
            world.media == [
                .offer(StreamConnectionID(0), [.audio: TrackID(Self.stream + "-audio")])
            ])
    }

    @Test func whatTheServerRefusesEndsTheStay() {
        var world = ClientWorld()
        world.open()
        world.refuse("joinRoom", 401)
        // No other bot is started either.
        #expect(world.end == .closed(code: 401, message: "no"))
        #expect(world.session.patience(after: .closed(code: 401, message: "no")) == nil)
        #expect(world.session.patience(after: .unreachable("")) == nil)
        world = ClientWorld(secret: nil)
        world.open()
        world.refuse("joinRoom", 104)
        #expect(world.end == .refused(code: 104, message: "no"))
        #expect(world.session.patience(after: .refused(code: 104, message: "no")) == nil)
    }

    /// The recorder before us may have died, and the server has not noticed yet.
    @Test func aRecorderWaitsForItsPlace() {
        let refusal = RoomEnd.refused(code: 104, message: "no")
        var world = ClientWorld()
        for _ in 0..<3 {
            world.open()
            world.refuse("joinRoom", 104)
            #expect(world.end == nil && world.events.last == .reconnect(refusal))
            world.close()
            #expect(world.session.patience(after: refusal) == ClientLimits.placePatience)
            // A socket that cannot be opened meanwhile.
            #expect(world.session.patience(after: .unreachable("")) == ClientLimits.placePatience)
        }
        world.open()
        world.answer("joinRoom", with: world.welcome([]))
        #expect(world.events.contains(.joined))
        #expect(world.session.patience(after: .unreachable("")) == ClientLimits.patience)
    }

    /// In OpenVidu's own words.
    @Test(arguments: [
        ("wss://h?sessionId=ses_1&secret=MY_SECRET&recorder=true", "MY_SECRET"),
        ("wss://h?sessionId=ses_1&token=tok_MINE", nil),
    ])
    func whatAdmitsUsIsShownToNobody(token: String, secret: String?) {
        var world = ClientWorld(token: token, secret: secret)
        world.open()
        world.refuse(
            "joinRoom", 401, "Unable to join session ses_1. Token \(token) is not valid")
        let shown = "Unable to join session ses_1. Token … is not valid"
        #expect(world.end == .closed(code: 401, message: shown))
        // Alone, and cut where words are.
        for part in [secret ?? "tok_MINE", token] {
            for length in 0...300 {
                world = ClientWorld(token: token, secret: secret)
                world.open()
                world.refuse("joinRoom", 401, String(repeating: "x", count: length) + part)
                world.tell(.mediaError, ["error": .string("of \(part)")])
                #expect(world.warnings == ["the server has a media error: of …"])
                let words = world.end.map { "\($0)" } ?? ""
                #expect(!words.contains("MY_SEC") && !words.contains("tok_M"))
            }
        }
        world = ClientWorld(token: token, secret: secret)
        world.open()
        world.answer("joinRoom", with: world.welcome([]))
        // What lets us come back is one of them, once we are in.
        world.tell(.mediaError, ["error": .string("\(token) in rpc1")])
        #expect(world.warnings == ["the server has a media error: … in …"])
        world.tell(
            .participantEvicted, ["connectionId": "RECORDER", "reason": .string("as \(token)")])
        #expect(world.end == .removed(reason: "as …"))
    }

    /// Where words are cut, a secret may be cut in two, and its half is not recognized any more.
    @Test func aSecretIsHiddenHoweverLongTheWordsAre() {
        let letters = (0..<4096).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) }
        for token in [String(letters), "wss://h?sessionId=ses_1&token=\(String(letters))"] {
            var world = ClientWorld(token: token, secret: nil)
            world.open()
            world.refuse("joinRoom", 401, "Token \(token) is not valid")
            #expect(world.end == .closed(code: 401, message: "Token … is not valid"))
        }
        // It shrinks the words before the cut.
        let token = String(letters.prefix(500))
        for shift in 0..<200 {
            var world = ClientWorld(token: token, secret: nil)
            world.open()
            let dashes = String(repeating: "-", count: shift)
            let words = dashes + String(repeating: token, count: 20)
            world.refuse("joinRoom", 401, words)
            let shown = world.end.map { "\($0)" } ?? "abc"
            #expect(!shown.contains("abc"))
        }
    }

    @Test func anUnusableAddressIsNamed() {
        #expect(
            "\(RoomEnd.badEndpoint("wss://[/openvidu"))"
                == "'wss://[/openvidu' is not a usable ws or wss address")
        #expect("\(RoomEnd.badEndpoint("ftp://h"))" == "'ftp://h' is not an http or https address")
    }

    @Test func anEmptySessionIsAnOpenPath() throws {
        let world = try ClientWorld.inside()
        #expect(world.events == [.joined, .roster([]), .path(.connected)])
    }

    // MARK: Names

    @Test(
        arguments: [
            (#"{"clientData":"Ann"}"#, "Ann", #"{"clientData":"Ann"}"#),
            (#"{"clientData":"Ann"}%/%{"serverData":"x"}"#, "Ann", #"{"clientData":"Ann"}"#),
            (#"%/%{"clientData":"Ann"}"#, "Ann", ""),
            (#"{"participantName":"Ann"}"#, "Ann", #"{"participantName":"Ann"}"#),
            ("Ann", "Ann", "Ann"), (#""Ann""#, "Ann", #""Ann""#), (#"{"x":1}"#, "", #"{"x":1}"#),
            ("", "", ""), ("[1", "[1", "[1"), (#"{"clientData":7}"#, "", #"{"clientData":7}"#),
        ])
    func namesComeFromTheMetadata(text: String, name: String, client: String) throws {
        let world = try ClientWorld.inside([ClientWorld.participant("Ann", metadata: text)])
        let peer = try #require(world.roster.first)
        #expect(peer.name == name && peer.metadata == client && peer.joinedAt == 7)
    }

    @Test func screensArePresentations() throws {
        let screen = ClientWorld.stream("Ann", ["typeOfVideo": "SCREEN"])
        let world = try ClientWorld.inside([ClientWorld.participant("Ann", streams: [screen])])
        #expect(world.roster.first?.tracks.map(\.source) == [.presentation, .presentation])
    }

    @Test func theHiddenAreNobodyAndNeitherAreWe() throws {
        func hidden(_ id: String) -> JSONValue {
            .object(["id": .string(id), "metadata": "", "createdAt": .integer(1)])
        }
        var world = try ClientWorld.inside([hidden("RECORDER"), hidden("SPEECH_TO_TEXT")])
        world.tell(
            .participantJoined, ["id": "RECORDER", "metadata": "", "createdAt": .integer(1)])
        world.tell(
            .participantPublished,
            ["id": "RECORDER", "streams": .array([ClientWorld.stream("RECORDER")])])
        #expect(world.roster.isEmpty && world.media.isEmpty)
    }

    // MARK: Streams

    @Test func aServerThatAnswersIsGivenAnOffer() throws {
        var world = try ClientWorld.inside([Self.ann])
        let connection = try #require(world.connection)
        // Trickled early: kept until there is a description.
        world.tell(
            .iceCandidate,
            [
                "senderConnectionId": "con_Ann", "endpointName": .string(Self.stream),
                "sdpMLineIndex": .integer(0), "sdpMid": "0", "candidate": "candidate:early",
            ])
        world.offer(connection)
        #expect(
            world.parameters("receiveVideoFrom") == [
                "sender": .string(Self.stream), "sdpOffer": "offer 0",
            ])
        world.answer("receiveVideoFrom", with: ["sdpAnswer": "answer"])
        #expect(world.media.last == .accept(connection, "answer"))
        world.accept(connection)
        #expect(world.media.last == .trickle(connection, "candidate:early"))
        #expect(
            world.parameters("onIceCandidate") == [
                "endpointName": "con_Ann", "candidate": "candidate:ours", "sdpMid": "0",
                "sdpMLineIndex": .integer(0),
            ])
        world.tell(
            .iceCandidate, ["senderConnectionId": "con_Ann", "candidate": "candidate:late"])
        #expect(world.media.last == .trickle(connection, "candidate:late"))
        #expect(world.paths.isEmpty)
        world.change(connection, to: .connected)
        #expect(world.paths == [.connected])
    }

    @Test func aServerThatOffersIsAnswered() throws {
        var world = try ClientWorld.inside([Self.ann], kind: "mediasoup")
        #expect(
            world.parameters("prepareReceiveVideoFrom") == [
                "sender": .string(Self.stream), "reconnect": .bool(false),
            ])
        world.answer("prepareReceiveVideoFrom", with: ["sdpOffer": "offer"])
        let connection = try #require(world.connection)
        world.session.answered(
            connection, "our answer", candidates: ["candidate:ours"], at: world.now)
        world.drain()
        #expect(
            world.parameters("receiveVideoFrom") == [
                "sender": .string(Self.stream), "sdpAnswer": "our answer",
            ])
        #expect(world.parameters("onIceCandidate")?["candidate"] == "candidate:ours")
        world.answer("receiveVideoFrom")
        world.change(connection, to: .connected)
        #expect(world.paths == [.connected])
        // Its replacement goes the same way.
        world.change(connection, to: .failed)
        world.pass(ClientLimits.streamPause)
        #expect(world.parameters("prepareReceiveVideoFrom")?["reconnect"] == .bool(true))
        world.answer("prepareReceiveVideoFrom", with: ["sdpOffer": "another"])
        let next = try #require(world.connection)
        world.session.answered(next, "another answer", candidates: [], at: world.now)
        world.drain()
        #expect(
            world.parameters("reconnectStream") == [
                "stream": .string(Self.stream), "sdpString": "another answer",
            ])
    }

    @Test func aServerMayReplaceAConnectionByItself() throws {
        var world = try ClientWorld.inside([Self.ann], kind: "mediasoup")
        world.answer("prepareReceiveVideoFrom", with: ["sdpOffer": "offer"])
        let first = try #require(world.connection)
        world.tell(
            .forciblyReconnectSubscriber,
            ["connectionId": "con_Ann", "streamId": .string(Self.stream), "sdpOffer": "new"])
        #expect(world.media.contains(.close(first)))
        let second = try #require(world.connection)
        #expect(second != first)
        world.session.answered(second, "answer", candidates: [], at: world.now)
        world.drain()
        #expect(
            world.parameters("reconnectStream") == [
                "stream": .string(Self.stream), "sdpString": "answer",
                "forciblyReconnect": .bool(true),
            ])
        // What was begun before comes to nothing.
        world.session.answered(first, "late", candidates: [], at: world.now)
        world.drain()
        #expect(world.calls.count { $0.method == "reconnectStream" } == 1)
    }

    @Test func aServerThatReplacesAConnectionTooOftenHasToWait() throws {
        var world = try ClientWorld.inside([Self.ann], kind: "mediasoup")
        world.answer("prepareReceiveVideoFrom", with: ["sdpOffer": "offer"])
        let offer: [String: JSONValue] = [
            "connectionId": "con_Ann", "streamId": .string(Self.stream), "sdpOffer": "new",
        ]
        world.tell(.forciblyReconnectSubscriber, offer)
        let second = try #require(world.connection)
        for _ in 0..<100 { world.tell(.forciblyReconnectSubscriber, offer) }
        #expect(world.connection == second && world.media.last == .close(second))
        #expect(world.parameters("prepareReceiveVideoFrom") == nil)
        world.pass(.seconds(3))
        #expect(
            world.parameters("prepareReceiveVideoFrom") == [
                "sender": .string(Self.stream), "reconnect": .bool(true),
            ])
        world.answer("prepareReceiveVideoFrom", with: ["sdpOffer": "offer"])
        world.tell(.forciblyReconnectSubscriber, offer)
        #expect(world.media.count { if case .answer = $0 { true } else { false } } == 4)
    }

    /// Those that wait are received one after the other.
    @Test func aServerReplacesOnlyAFewConnectionsAtOnce() throws {
        let names = (0..<ClientLimits.openings + 4).map { "P\($0)" }
        var world = try ClientWorld.inside(
            names.map { ClientWorld.participant($0) }, kind: "mediasoup")
        for name in names {
            world.tell(
                .forciblyReconnectSubscriber,
                [
                    "connectionId": .string("con_\(name)"),
                    "streamId": .string("str_CAM_1_con_\(name)"), "sdpOffer": "new",
                ])
        }
        #expect(
            world.media.count { if case .answer = $0 { true } else { false } }
                == ClientLimits.openings)
    }

    @Test func whoComesIsReceivedAndWhoGoesIsNot() throws {
        var world = try ClientWorld.inside()
        world.tell(
            .participantJoined,
            ["id": "con_Ann", "createdAt": .integer(7), "metadata": #"{"clientData":"Ann"}"#])
        #expect(world.roster.map(\.name) == ["Ann"] && world.roster[0].tracks.isEmpty)
        let published: [String: JSONValue] = [
            "id": "con_Ann", "streams": .array([ClientWorld.stream("Ann")]),
        ]
        world.tell(.participantPublished, published)
        // Twice: a server repeats what it told while the socket was cut.
        world.tell(.participantPublished, published)
        #expect(world.roster[0].tracks.count == 2 && world.media.count == 1)
        let first = try #require(world.connection)
        world.tell(
            .participantUnpublished, ["connectionId": "con_Ann", "reason": "unpublish"])
        #expect(world.roster[0].tracks.isEmpty && world.media.last == .close(first))
        // Another stream of the same participant.
        let other = ClientWorld.stream("Ann", ["id": "str_SCR_2_con_Ann"])
        world.tell(.participantPublished, ["id": "con_Ann", "streams": .array([other])])
        let second = try #require(world.connection)
        #expect(second != first)
        world.tell(.participantLeft, ["name": "con_Ann", "reason": "disconnect"])
        #expect(world.roster.isEmpty && world.media.last == .close(second))
        // One that was announced while the socket was cut.
        world.tell(.participantPublished, published)
        #expect(world.roster.map(\.id) == ["con_Ann"])
    }

    @Test func mutesAreFollowed() throws {
        var world = try ClientWorld.inside([Self.ann])
        func change(_ property: String, _ value: JSONValue) -> [String: JSONValue] {
            [
                "connectionId": "con_Ann", "streamId": .string(Self.stream),
                "property": .string(property), "newValue": value, "reason": "publishAudio",
            ]
        }
        world.tell(.streamPropertyChanged, change("audioActive", "false"))
        #expect(world.roster[0].tracks.map(\.isMuted) == [true, false])
        world.tell(.streamPropertyChanged, change("videoActive", .bool(false)))
        world.tell(.streamPropertyChanged, change("audioActive", "true"))
        world.tell(.streamPropertyChanged, change("videoDimensions", #""{}""#))
        #expect(world.roster[0].tracks.map(\.isMuted) == [false, true])
    }

    @Test func signalsAreMessages() throws {
        var world = try ClientWorld.inside([Self.ann])
        world.tell(.sendMessage, ["data": "hi", "type": "signal:chat", "from": "con_Ann"])
        #expect(
            world.events.last
                == .message(
                    RoomMessage(
                        sender: "con_Ann", type: "chat", content: OpaqueJSON(string: "hi"),
                        isPrivate: false)))
        world.tell(.sendMessage, ["data": "from the server"])
        guard case .message(let message)? = world.events.last else {
            Issue.record("it was not told")
            return
        }
        #expect(message.sender == nil && message.type.isEmpty)
    }

    @Test func onlyAFewConnectionsAreSetUpAtOnce() throws {
        let many = (0..<20).map { ClientWorld.participant("P\($0)") }
        var world = try ClientWorld.inside(many)
        #expect(world.media.count == ClientLimits.openings)
        world.connect(StreamConnectionID(0))
        #expect(world.offers == 9)
    }

    @Test func whoFoundNoPlaceGetsThatOfOneWhoLeaves() throws {
        let maximum = StreamConnections.maximum
        let many = (0..<maximum + 2).map { ClientWorld.participant("P\($0)") }
        var world = try ClientWorld.inside(many)
        func isReceived(_ number: Int) -> Bool {
            world.session.receptions["str_CAM_1_con_P\(number)"] != nil
        }
        #expect(isReceived(maximum - 1) && !isReceived(maximum))
        world.tell(.participantLeft, ["connectionId": "con_P0", "reason": "disconnect"])
        #expect(isReceived(maximum) && !isReceived(maximum + 1))
        world.tell(
            .participantUnpublished, ["connectionId": "con_P1", "reason": "unpublish"])
        #expect(isReceived(maximum + 1) && !isReceived(1))
        #expect(world.session.receptions.count == maximum)
    }

    // MARK: Failures

    @Test func aFailedConnectionIsReplaced() throws {
        var world = try ClientWorld.inside([Self.ann])
        let first = try #require(world.connection)
        world.connect(first)
        world.change(first, to: .disconnected)
        #expect(world.paths == [.connected, .disconnected])
        world.change(first, to: .failed)
        #expect(world.media.last == .close(first))
        world.pass(ClientLimits.streamPause)
        let second = try #require(world.connection)
        world.offer(second)
        #expect(
            world.parameters("reconnectStream") == [
                "stream": .string(Self.stream), "sdpString": .string("offer \(second)"),
            ])
        world.answer("reconnectStream", with: ["sdpAnswer": "answer"])
        world.accept(second)
        world.change(second, to: .connected)
        #expect(world.paths == [.connected, .disconnected, .connected] && world.end == nil)
    }

    @Test func aConnectionThatNeverOpensIsReplaced() throws {
        var world = try ClientWorld.inside([Self.ann])
        let first = try #require(world.connection)
        world.offer(first)
        world.answer("receiveVideoFrom", with: ["sdpAnswer": "answer"])
        world.accept(first)
        world.change(first, to: .connecting)
        world.pass(ClientLimits.opening + ClientLimits.streamPause + .seconds(1))
        #expect(world.media.contains(.close(first)) && world.connection != first)
    }

    @Test func aStreamThatCannotBeReceivedIsLeftOutInTheEnd() throws {
        var world = try ClientWorld.inside([Self.ann, ClientWorld.participant("Ben")])
        world.connect(StreamConnectionID(1))
        let failing = StreamConnectionID(0)
        world.offer(failing)
        world.refuse("receiveVideoFrom", 303)
        for _ in 0..<30 {
            world.pass(ClientLimits.streamPause)
            guard let next = world.connection, next != StreamConnectionID(1) else { continue }
            world.offer(next)
            world.refuse("receiveVideoFrom", 303)
        }
        #expect(world.warnings.last == "stream \(Self.stream) is left out: no")
        #expect(world.roster.map(\.tracks.count) == [0, 2])
        #expect(world.paths.last == .connected && world.end == nil)
        // It is tried once a minute, without a word.
        let before = (offers: world.offers, warnings: world.warnings.count)
        world.pass(ClientLimits.leftOutPause)
        #expect(world.offers == before.offers + 1)
        world.offer(try #require(world.connection))
        world.refuse("receiveVideoFrom", 303)
        #expect(world.warnings.count == before.warnings)
        world.pass(ClientLimits.leftOutPause)
        #expect(world.offers == before.offers + 2 && world.roster.map(\.tracks.count) == [0, 2])
        world.connect(try #require(world.connection))
        #expect(world.roster.map(\.tracks.count) == [2, 2])
    }

    @Test func aSessionWhoseStreamsAreAllLeftOutHasNoPath() throws {
        var world = try ClientWorld.inside([Self.ann])
        world.connect(try #require(world.connection))
        world.change(try #require(world.connection), to: .failed)
        while world.roster.map(\.tracks.count) != [0], world.now < ClientWorld.start + .seconds(90)
        {
            world.pass(ClientLimits.streamPause)
            world.offer(try #require(world.connection))
            world.refuse("reconnectStream", 303)
        }
        world.pass(.seconds(30))
        #expect(world.roster.map(\.tracks.count) == [0])
        #expect(world.paths == [.connected, .disconnected])
    }

    /// Its connection works for less than the calm time, again and again.
    @Test func aStreamThatFlapsIsLeftOut() throws {
        var world = try ClientWorld.inside([Self.ann, ClientWorld.participant("Ben")])
        world.connect(StreamConnectionID(1))
        var connection = StreamConnectionID(0)
        var rounds = 0
        while world.roster.map(\.tracks.count) == [2, 2], rounds < 20 {
            rounds += 1
            world.connect(connection)
            world.pass(.seconds(5))
            world.change(connection, to: .failed)
            world.pass(ClientLimits.streamPause)
            connection = try #require(world.connection)
        }
        #expect(rounds == 9 && world.roster.map(\.tracks.count) == [0, 2])
        // One that has been calm has all the patience again.
        for _ in 0..<20 {
            world.pass(ClientLimits.calm)
            let last = world.session.receptions["str_CAM_1_con_Ben"]?.connection
            world.change(try #require(last), to: .failed)
            world.pass(ClientLimits.streamPause)
            let next = world.session.receptions["str_CAM_1_con_Ben"]?.connection
            world.connect(try #require(next))
        }
        #expect(world.roster.last?.tracks.count == 2)
    }

    @Test func aCallWithoutAnAnswerFailsItsStreamOnly() throws {
        var world = try ClientWorld.inside([Self.ann])
        world.offer(try #require(world.connection))
        world.pass(ClientLimits.answer)
        #expect(
            world.warnings == ["stream \(Self.stream) is not received: the server does not answer"])
        #expect(world.reconnects.isEmpty)
        // The server may have done what it did not confirm.
        world.pass(ClientLimits.streamPause)
        world.offer(try #require(world.connection))
        #expect(world.parameters("reconnectStream")?["stream"] == .string(Self.stream))
    }

    @Test func anAnswerLostWithTheSocketIsNoSecondSubscription() throws {
        var world = try ClientWorld.inside([Self.ann])
        world.offer(try #require(world.connection))
        world.close()
        world.open()
        world.answer("connect", with: ["value": "reconnection successful"])
        world.offer(try #require(world.connection))
        #expect(world.parameters("reconnectStream")?["stream"] == .string(Self.stream))
    }

    @Test func mediaThatCannotBeDescribedFailTheirStreamOnly() throws {
        var world = try ClientWorld.inside([Self.ann])
        let connection = try #require(world.connection)
        world.session.mediaFailed(connection, "no socket", at: world.now)
        world.drain()
        #expect(world.warnings == ["stream \(Self.stream) is not received: no socket"])
        #expect(world.media.last == .close(connection) && world.end == nil)
    }

    // MARK: The socket

    @Test func pingsAreRepeatedAndMissed() throws {
        var world = try ClientWorld.inside()
        world.pass(.seconds(30))
        #expect(world.reconnects.isEmpty)
        world.pass(.seconds(11), answersPings: false)
        #expect(world.reconnects == ["the server does not answer a ping"])
        #expect(world.calls.allSatisfy { $0.method != "ping" || $0.parameters.isEmpty })
    }

    @Test func aCutSocketIsReplacedAndOnlyDeadConnectionsWithIt() throws {
        var world = try ClientWorld.inside([Self.ann, ClientWorld.participant("Ben")])
        let (ann, ben) = (StreamConnectionID(0), StreamConnectionID(1))
        world.connect(ann)
        world.connect(ben)
        world.close()
        #expect(world.paths == [.connected], "media go on")
        world.change(ben, to: .disconnected)
        world.pass(.seconds(5))
        world.open()
        #expect(
            world.parameters("connect") == ["sessionId": "rpc1", "reconnect": .bool(true)])
        #expect(world.parameters("joinRoom") == nil)
        world.answer("connect", with: ["value": "reconnection successful"])
        let next = try #require(world.connection)
        #expect(next != ben && world.media.contains(.close(ben)))
        #expect(!world.media.contains(.close(ann)))
        world.offer(next)
        #expect(world.parameters("reconnectStream")?["stream"] == "str_CAM_1_con_Ben")
    }

    @Test func aStreamThatEndedMeanwhileIsForgotten() throws {
        var world = try ClientWorld.inside([Self.ann])
        let first = try #require(world.connection)
        world.connect(first)
        world.change(first, to: .failed)
        world.pass(ClientLimits.streamPause)
        world.offer(try #require(world.connection))
        world.refuse("reconnectStream", 105)
        #expect(world.roster.map(\.tracks.count) == [0])
        #expect(world.paths.last == .connected, "nothing is missed any more")
    }

    @Test func aServerThatHasForgottenUsIsJoinedAgain() throws {
        var world = try ClientWorld.inside([Self.ann, ClientWorld.participant("Ben")])
        world.connect(StreamConnectionID(0))
        world.close()
        world.open()
        world.refuse("connect", 40_007)
        #expect(world.end == nil && world.parameters("joinRoom") != nil)
        #expect(world.media.contains(.close(StreamConnectionID(0))))
        world.answer(
            "joinRoom", with: world.welcome([Self.ann, ClientWorld.participant("Cid")]))
        #expect(world.roster.map(\.name) == ["Ann", "Cid"])
        #expect(world.events.count { $0 == .joined } == 1)
        #expect(world.offers == 4, "both are received anew")
        // Our own earlier connection may still be there.
        world.close()
        world.open()
        world.refuse("connect", 40_007)
        world.refuse("joinRoom", 104)
        #expect(
            world.end == nil
                && world.events.contains(.reconnect(.refused(code: 104, message: "no"))))
    }

    @Test func whoJoinsAgainTriesAllStreamsWithNewPatience() throws {
        var world = try ClientWorld.inside([Self.ann, ClientWorld.participant("Ben")])
        world.connect(StreamConnectionID(1))
        world.offer(StreamConnectionID(0))
        world.refuse("receiveVideoFrom", 303)
        while world.roster.map(\.tracks.count) != [0, 2],
            world.now < ClientWorld.start + .seconds(90)
        {
            world.pass(ClientLimits.streamPause)
            world.offer(try #require(world.connection))
            world.refuse("receiveVideoFrom", 303)
        }
        #expect(world.roster.map(\.tracks.count) == [0, 2])
        let before = world.offers
        world.close()
        world.open()
        world.refuse("connect", 40_007)
        world.close()
        world.pass(ClientLimits.patience + .seconds(10))
        world.open()
        world.answer(
            "joinRoom", with: world.welcome([Self.ann, ClientWorld.participant("Ben")]))
        #expect(world.roster.map(\.tracks.count) == [2, 2])
        #expect(world.offers == before + 2, "both at once")
        world.offer(try #require(world.connection))
        world.refuse("receiveVideoFrom", 303)
        #expect(world.warnings.last?.contains("is not received") == true)
        #expect(world.roster.map(\.tracks.count) == [2, 2])
    }

    @Test func garbageEndsTheSocketAndNotTheStay() throws {
        var world = try ClientWorld.inside([Self.ann])
        world.receive("garbage")
        #expect(world.reconnects.count == 1 && world.end == nil)
        // Before there was a stay, there is nothing to go back to.
        var fresh = ClientWorld()
        fresh.open()
        fresh.receive("<html>")
        #expect(fresh.end == .protocolViolation("the frame is not valid JSON-RPC"))
    }

    @Test(arguments: [
        ("sessionClosedByServer", RoomEnd.roomEnded(reason: "sessionClosedByServer")),
        ("forceDisconnectByServer", RoomEnd.removed(reason: "forceDisconnectByServer")),
    ])
    func whoIsPutOutIsNotThereAnyMore(reason: String, end: RoomEnd) throws {
        var world = try ClientWorld.inside([Self.ann])
        world.tell(.participantEvicted, ["connectionId": "con_Ben", "reason": .string(reason)])
        #expect(world.end == nil)
        world.tell(.participantEvicted, ["connectionId": "RECORDER", "reason": .string(reason)])
        #expect(world.end == end)
    }

    @Test func leavingIsSaid() throws {
        var world = try ClientWorld.inside()
        world.session.leave()
        world.drain()
        #expect(world.calls.last?.method == "leaveRoom")
    }

    @Test func leavingIsSaidWhileTheServerStillLetsUsIn() throws {
        var joining = ClientWorld()
        joining.open()
        joining.session.leave()
        joining.drain()
        #expect(joining.calls.map(\.method) == ["joinRoom", "leaveRoom"])
        var returning = try ClientWorld.inside()
        returning.close()
        returning.open()
        returning.session.leave()
        returning.drain()
        #expect(returning.calls.map(\.method) == ["connect", "leaveRoom"])
        returning.close()
        returning.session.leave()
        returning.drain()
        #expect(returning.calls.isEmpty)
    }
}
