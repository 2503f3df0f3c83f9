import Rooms
import Signalling
import Testing

@Suite struct PolicyFileTests {
    func reason(_ text: String) -> String? {
        do {
            _ = try PolicyFile.policy(fromJSON: text)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func aTemplateOf100msIsAPolicy() throws {
        let policy = try PolicyFile.policy(
            fromJSON: """
                {"template_id":"t1","name":"ignored","roles":{
                  "host":{"priority":1,"maxPeerCount":0,
                    "publishParams":{"allowed":["audio","video","screen"],
                      "audio":{"bitRate":32,"codec":"opus"},
                      "video":{"bitRate":310,"codec":"vp8","frameRate":30,"width":480,"height":360},
                      "simulcast":{"video":{"layers":[{"rid":"f","scaleResolutionDownBy":1,
                        "maxBitrate":700,"maxFramerate":25}]},"screen":{}}},
                    "subscribeParams":{"subscribeToRoles":["host","viewer"],"maxSubsBitRate":3200,
                      "subscribeDegradation":{"packetLossThreshold":25,
                        "degradeGracePeriodSeconds":1,"recoverGracePeriodSeconds":4}},
                    "permissions":{"endRoom":true,"hlsStreaming":true}},
                  "viewer":{"subscribeParams":{"subscribeToRoles":["*"]}}},
                 "destinations":{"hlsDestinations":{"default":{"name":"default",
                   "layers":[{"width":1280,"height":720,"videoBitrate":2048,"audioBitrate":64},{}],
                   "autoStopTimeout":300}}}}
                """)
        #expect(policy.templateID == "t1")
        #expect(policy.roles.map(\.name) == ["host", "viewer", Policy.recorderRole])
        let host = try #require(policy.role("host"))
        #expect(host.permissions.hlsStreaming)
        #expect(!host.permissions.removeOthers)
        #expect(host.permissions.broadcast)
        #expect(host.publishParams.simulcast?.video.layers?.first?.maxBitrate == 700)
        #expect(host.subscribeParams.subscribeDegradation?.packetLossThreshold == 25)
        #expect(policy.role("viewer")?.subscribeParams.subscribeToRoles == ["host", "viewer"])
        #expect(policy.role("viewer")?.publishParams.allowed == [])
        #expect(policy.hlsDestinations["default"]?.layers?.count == 2)
        #expect(policy.hlsDestinations["default"]?.autoStopTimeout == 300)
    }

    @Test func rolesMayBeAListToo() throws {
        let policy = try PolicyFile.policy(
            fromJSON: #"{"roles":[{"name":"a"},{"name":"spy","isHidden":true}]}"#)
        #expect(policy.templateID == "default")
        #expect(policy.role("spy")?.isHidden == true)
    }

    @Test(arguments: [
        ("", "invalid policy: the file is not a JSON object"),
        ("[]", "invalid policy: the file is not a JSON object"),
        ("{}", "invalid policy: 'roles' is missing"),
        (#"{"roles":[{}]}"#, "invalid policy: 'roles.0.name' is missing"),
        (
            #"{"roles":{"a":{"publishParams":{"allowed":["smell"]}}}}"#,
            "invalid policy: 'roles.a.publishParams.allowed.0' has a value that is not allowed"
        ),
        (
            #"{"roles":{"a":{"maxPeerCount":"many"}}}"#,
            "invalid policy: 'roles.a.maxPeerCount' must be a whole number"
        ),
        (
            #"{"roles":{"a":{"subscribeParams":{"subscribeToRoles":["b"]}}}}"#,
            "invalid policy: role 'a' subscribes to role 'b', which does not exist"
        ),
    ])
    func aBadFileIsRefusedByField(text: String, message: String) {
        #expect(reason(text) == message)
    }

    @Test func aFileThatIsTooLongIsRefused() {
        #expect(
            reason(String(repeating: " ", count: PolicyFile.bytesMaximum + 1))
                == "invalid policy: the file is longer than 1048576 bytes")
    }
}
