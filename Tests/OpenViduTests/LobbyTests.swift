import MediaKernel
import Testing

@testable import OpenVidu

/// What a client may say before it has joined.
@Suite(.timeLimit(.minutes(5))) struct LobbyTests {
    private static func answer(_ text: String) -> JSONValue? {
        var lobby = OpenViduLobby()
        guard case .answer(let frame) = lobby.received(text) else { return nil }
        return try? JSONDocument(frame, limits: .own).root.decode(JSONValue.self)
    }

    @Test func firstPingIsAnswered() {
        let answer = Self.answer(
            #"{"jsonrpc":"2.0","method":"ping","params":{"interval":5000},"id":0}"#)
        #expect(answer?["result"] == .object(["value": "pong"]))
        #expect(answer?["id"] == 0 && answer?["jsonrpc"] == "2.0")
    }

    /// Apps for iOS send their ids as texts, and so must the answers have them.
    @Test func idOfOldAppIsRepeatedAsText() {
        let answer = Self.answer(
            #"{"method":"ping","params":{"interval":"5000"},"id":"0","jsonrpc":"2.0"}"#)
        #expect(answer?["id"] == "0")
    }

    @Test func everythingElseNeedsAPlace() {
        for method in OpenViduMethod.allCases {
            let answer = Self.answer(#"{"id":1,"method":"\#(method.rawValue)"}"#)
            switch method {
            case .ping, .sessionStatus: #expect(answer?["result"] != nil)
            case .joinRoom: #expect(answer == nil)
            case .connect: #expect(answer?["error"]?["code"] == -32602)
            default: #expect(answer?["error"]?["code"] == 803, "\(method)")
            }
        }
        #expect(Self.answer(#"{"id":1,"method":"fly"}"#)?["error"]?["code"] == -32601)
    }

    @Test func everyTruncationOfAJoinIsRefused() {
        let frame = TestClient.joinFrame()
        for length in 0..<frame.utf8.count {
            let answer = Self.answer(String(decoding: frame.utf8.prefix(length), as: UTF8.self))
            #expect(answer?["error"]?["code"] == -32700, "\(length)")
        }
    }

    @Test func wrongTypesOfAJoinAreRefusedByName() {
        let wrong: [JSONValue] = [5, .bool(true), .array([]), .object([:]), .number(1.5)]
        for name in ["token", "session", "metadata", "secret", "sdkVersion"] {
            for value in wrong {
                let answer = Self.answer(TestClient.joinFrame([name: value]))
                #expect(answer?["error"]?["code"] == -32602, "\(name) \(value)")
            }
        }
        #expect(
            Self.answer(TestClient.joinFrame(["recorder": "yes"]))?["error"]?["code"] == -32602)
        #expect(Self.answer(TestClient.joinFrame(["recorder": "false"])) == nil)
    }

    @Test func longFramesAndManyFramesCloseTheSocket() {
        var lobby = OpenViduLobby()
        let long = String(repeating: " ", count: OpenViduLimits.frameBytes + 1)
        guard case .close(1009, _) = lobby.received(long) else {
            Issue.record("a long frame is accepted")
            return
        }
        for _ in 0..<OpenViduLimits.framesBeforeJoin { _ = lobby.received("{}") }
        guard case .close(1008, _) = lobby.received("{}") else {
            Issue.record("any number of frames is accepted")
            return
        }
    }

    @Test func addressesOfTokensAreRead() {
        let address = TokenAddress("wss://host:4443?sessionId=ses_A&token=tok_B&role=PUBLISHER")
        #expect(address.session == "ses_A" && address.token == "tok_B")
        #expect(TokenAddress("tok_B").token == "tok_B")
        #expect(TokenAddress("?").token.isEmpty && TokenAddress("a?token=").token.isEmpty)
    }

    @Test func namesAreFoundInMetadata() {
        func name(_ metadata: String) -> String? { DisplayName.found(in: metadata, maximum: 9) }
        #expect(name(#"{"clientData":"Ann"}"#) == "Ann")
        #expect(name(#"{"participantName":"Ben"}"#) == "Ben")
        #expect(name("Cid") == "Cid" && name(#""Dora""#) == "Dora")
        #expect(name("") == nil && name(#"{"clientData":5}"#) == nil && name("{}") == nil)
        #expect(name("a name that is too long") == nil)
    }

    @Test func returningClientNamesItsRoom() {
        #expect(ReturnCall(id: nil, rpcSession: "0a1b.r-1_x").room == "r-1_x")
        #expect(ReturnCall(id: nil, rpcSession: "0a1b").room == nil)
        #expect(ReturnCall(id: nil, rpcSession: "0a1b./etc").room == nil)
    }
}
