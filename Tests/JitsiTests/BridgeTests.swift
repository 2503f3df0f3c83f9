import MediaKernel
import Testing

@testable import Jitsi

@Suite struct BridgeTests {
    private static let messages: [(String, BridgeMessage)] = [
        (#"{"colibriClass":"ServerHello","version":"2.3"}"#, .other("ServerHello")),
        (
            #"{"colibriClass":"DominantSpeakerEndpointChangeEvent","dominantSpeakerEndpoint":"a","#
                + #""previousSpeakers":["b","c"],"silence":false}"#,
            .speaker("a", isSilence: false)
        ),
        (
            #"{"colibriClass":"DominantSpeakerEndpointChangeEvent","dominantSpeakerEndpoint":"a","#
                + #""silence":true}"#, .speaker("a", isSilence: true)
        ),
        (
            #"{"colibriClass":"EndpointMessage","from":"a","to":"","msgPayload":{"x":1}}"#,
            .endpointMessage(from: "a", isPrivate: false, .object(["x": .integer(1)]))
        ),
        (
            #"{"colibriClass":"EndpointMessage","from":"a","to":"me","name":"hi"}"#,
            .endpointMessage(from: "a", isPrivate: true, .object(["name": "hi"]))
        ),
        (#"{"colibriClass":"New"}"#, .other("New")),
    ]

    @Test func eachMessageIsRead() throws {
        for (text, message) in Self.messages { #expect(try BridgeMessage(text) == message) }
    }

    @Test func messagesCutAnywhereAreRefused() {
        for (text, _) in Self.messages {
            let bytes = Array(text.utf8)
            for length in 0..<bytes.count {
                #expect {
                    try BridgeMessage(String(decoding: bytes[..<length], as: UTF8.self))
                } throws: { error in
                    if case JitsiFault.malformed = error { true } else { false }
                }
            }
        }
    }

    /// Each member in turn becomes something else: a value is read, or its message is refused.
    @Test func membersOfWrongTypesDoNoHarm() throws {
        let wrong: [JSONValue] = [
            .null, .bool(true), .integer(-1), .number(1e300), .string(""),
            .string(String(repeating: "x", count: 100_000)), .array([]), .array([.integer(1)]),
            .object([:]), .array([.object(["source": .integer(1)])]),
        ]
        for (text, _) in Self.messages {
            let members = try JitsiJSON.members(
                text, JitsiLimits.bridgeJSON, bytes: JitsiLimits.bridgeBytes, of: "it")
            for name in members.keys {
                for value in wrong {
                    var changed = members
                    changed[name] = value
                    do throws(JitsiFault) {
                        _ = try BridgeMessage(JitsiJSON.text(changed))
                    } catch {
                        #expect(!error.description.isEmpty)
                    }
                }
            }
        }
    }

    @Test func whatIsMissingIsNamed() {
        #expect(throws: JitsiFault.malformed("EndpointMessage (no from)")) {
            try BridgeMessage(#"{"colibriClass":"EndpointMessage"}"#)
        }
        #expect(throws: JitsiFault.missing("colibriClass")) { try BridgeMessage("{}") }
        for text in ["", "[]", "7", "null", "\"\""] {
            #expect(throws: JitsiFault.malformed("the bridge's message")) {
                try BridgeMessage(text)
            }
        }
    }

    @Test func theyAreBounded() throws {
        let long = String(repeating: " ", count: JitsiLimits.bridgeBytes)
        #expect {
            try BridgeMessage("{}" + long)
        } throws: { error in
            if case JitsiFault.tooMany(_, JitsiLimits.bridgeBytes) = error { true } else { false }
        }
        let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        #expect {
            try BridgeMessage(#"{"colibriClass":"EndpointMessage","from":"a","x":\#(deep)}"#)
        } throws: { error in
            if case JitsiFault.malformed = error { true } else { false }
        }
    }

    @Test func eachRequestIsWritten() {
        let requests: [(BridgeRequest, String)] = [
            (.hello, #"{"colibriClass":"ClientHello"}"#),
            (
                .videoConstraints(VideoConstraints(standardHeight: 720, heights: ["a-v0": 180])),
                #"{"colibriClass":"ReceiverVideoConstraints","constraints":{"a-v0":{"maxHeight":180}},"#
                    + #""defaultConstraints":{"maxHeight":720},"lastN":-1}"#
            ),
            (
                .audioSubscription(AudioSubscription(includesAll: true, excluded: ["a-a0"])),
                #"{"all":true,"colibriClass":"ReceiverAudioSubscription","exclude":["a-a0"],"#
                    + #""include":[]}"#
            ),
        ]
        for (request, text) in requests { #expect(request.text == text) }
    }

    // MARK: Wishes

    @Test func wishesBecomeConstraints() {
        var wishes = VideoWishes()
        let now = Instant.zero + .seconds(9)
        #expect(wishes.deadline == nil && wishes.take(at: now, receivesVideo: true).isEmpty)
        wishes.want("a-v0", layer: .low)
        wishes.want("b-v0", layer: .none)
        wishes.want("c-v0", layer: .high)
        wishes.want("d-v0", layer: .medium)
        let heights = ["a-v0": 180, "b-v0": 0, "c-v0": 2160, "d-v0": 360]
        #expect(
            wishes.take(at: now, receivesVideo: true) == [
                .videoConstraints(VideoConstraints(standardHeight: 2160, heights: heights))
            ])
        // Not at once again, and not for what is wanted already.
        wishes.want("a-v0", layer: .low)
        #expect(!wishes.isDue)
        wishes.want("a-v0", layer: .medium)
        #expect(wishes.take(at: now + .milliseconds(100), receivesVideo: true).isEmpty)
        #expect(wishes.deadline == now + CallLimits.wishesInterval)
        #expect(wishes.take(at: now + .milliseconds(250), receivesVideo: true).count == 1)
        wishes.want("a-a0", isHeard: false)
        wishes.want("b-a0", isHeard: true)
        #expect(
            wishes.take(at: now + .seconds(1), receivesVideo: true) == [
                .audioSubscription(AudioSubscription(includesAll: true, excluded: ["a-a0"]))
            ])
        wishes.keep(["c-v0"])
        #expect(
            wishes.begin(receivesVideo: true) == [
                .videoConstraints(
                    VideoConstraints(standardHeight: 2160, heights: ["c-v0": 2160]))
            ])
        #expect(
            wishes.begin(receivesVideo: false) == [
                .videoConstraints(VideoConstraints(lastN: 0, standardHeight: 0))
            ])
    }
}
