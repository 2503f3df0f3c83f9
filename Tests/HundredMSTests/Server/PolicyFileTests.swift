import HundredMS
import HundredMSTerms
import RoomHost
import Rooms
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
        #expect(policy.roles.map(\.name) == ["host", "viewer", HundredMSTerms.recorderRole])
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

    @Test func whatVisitorsAreToldIsReadAndChecked() throws {
        func policy(_ settings: String) throws -> Policy {
            try PolicyFile.policy(fromJSON: #"{"roles":{"host":{}},"settings":\#(settings)}"#)
        }
        #expect(try policy("{}").roomState == nil)
        #expect(try policy(#"{"roomState":{}}"#).roomState == RoomStateSettings())
        let settings = try policy(
            #"{"region":"eu","roomState":{"enabled":true,"sendPeerList":true,"#
                + #""messageInterval":3600,"stopRoomStateOnJoin":true}}"#
        ).roomState
        #expect(
            settings == RoomStateSettings(isEnabled: true, sendsPeers: true, interval: 3600))
        for interval in [0, 4, 7, 3599, 3605] {
            let reason = reason(
                #"{"roles":{"host":{}},"settings":{"roomState":{"messageInterval":\#(interval)}}}"#)
            #expect(
                reason == "invalid policy: 'settings.roomState.messageInterval' is \(interval); "
                    + "multiples of 5 from 5 to 3600 are allowed")
        }
    }

    @Test func codecsAreReadInSmallLetters() throws {
        let policy = try PolicyFile.policy(
            fromJSON: """
                {"roles":{"a":{"publishParams":{"audio":{"codec":"OPUS"},
                  "video":{"codec":"H264"},"screen":{"codec":"Vp9"}}}}}
                """)
        let publish = try #require(policy.role("a")?.publishParams)
        #expect(publish.audio?.codec == "opus")
        #expect(publish.video?.codec == "h264" && publish.screen?.codec == "vp9")
    }

    /// As exported by 100ms: with its own names, and without fields that have a default.
    @Test func anExportedTemplateIsAPolicy() throws {
        let policy = try PolicyFile.policy(
            fromJSON: """
                {"id":"6324661c","_id":"6324661c","name":"town","customerId":"c1","roles":{
                  "guest":{"name":"guest","priority":2,"maxPeerCount":0,"publishParams":{
                    "allowed":["audio","video","screen","simulcast"],"audio":{"codec":"opus"},
                    "video":{},"screen":{"codec":"vp8","frameRate":10,"width":1920,"height":1080},
                    "simulcast":{"video":{"layers":[
                      {"rid":"f","scaleResolutionDownBy":1,"maxBitrate":700,"maxFramerate":25},
                      {"rid":"h","scaleResolutionDownBy":2,"maxBitrate":350,"maxFramerate":25},
                      {"rid":"q","scaleResolutionDownBy":4,"maxBitrate":100,"maxFramerate":25}
                      ]},"screen":{}}},
                    "subscribeParams":{"subscribeToRoles":["guest"],"maxSubsBitRate":3200,
                      "subscribeDegradation":{}},
                    "permissions":{"rtmpStreaming":true,"sendRoomState":false,"pollRead":true}},
                  "__internal_recorder":{"name":"__internal_recorder","priority":1,
                    "publishParams":{"allowed":[]},
                    "subscribeParams":{"subscribeToRoles":["guest"]},"permissions":{}}},
                 "settings":{"region":"in","recording":null,
                   "roomState":{"messageInterval":5,"enabled":false},"retry":{}},
                 "destinations":{"browserRecordings":{"b":{"name":"b","width":1920,"height":1080,
                     "maxDuration":1800,"thumbnails":{"width":0,"height":0},
                     "presignDuration":3600,"role":"host"}},
                   "rtmpDestinations":{"r":{"name":"r","rtmpUrls":["rtmp://x"]}},
                   "transcriptions":{"t":{"name":"t","outputModes":["txt"]}},
                   "hlsDestinations":{"default":{"name":"default","playlistType":"event",
                     "numPlaylistSegments":12,"enableStaticUrl":true,"layers":[{}]}}},
                 "createdAt":"2022-09-16T12:03:40.068Z"}
                """)
        #expect(policy.templateID == "6324661c")
        #expect(policy.role(HundredMSTerms.recorderRole)?.isHidden == true)
        let publish = try #require(policy.role("guest")?.publishParams)
        #expect(publish.allowed == [.audio, .video, .screen])
        #expect(publish.audio == AudioParameters(bitRate: 32))
        #expect(
            publish.video == VideoParameters(bitRate: 256, frameRate: 25, width: 320, height: 180))
        #expect(
            publish.screen
                == VideoParameters(bitRate: 1024, frameRate: 10, width: 1920, height: 1080))
        #expect(
            policy.role("guest")?.subscribeParams.subscribeDegradation
                == SubscribeDegradation(
                    packetLossThreshold: 50, degradeGracePeriodSeconds: 1,
                    recoverGracePeriodSeconds: 4))
    }

    @Test func recordingsMayHaveAPreset() throws {
        func file(_ destination: String) -> String {
            #"{"roles":{"guest":{}},"destinations":{"browserRecordings":{"calls":"#
                + destination + "}}}"
        }
        let policy = try PolicyFile.policy(
            fromJSON: file(#"{"preset":"group_call","keptSeconds":60}"#))
        let destination = policy.recordingDestinations["calls"]
        #expect(destination?.preset == .groupCall && destination?.keptSeconds == 60)
        #expect(destination?.autoStart == nil && destination?.width == nil)
        let refusal = reason(file(#"{"preset":"webinar"}"#))
        #expect(refusal?.contains("browserRecordings.calls.preset") == true, "\(refusal ?? "")")
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
            #"{"roles":{"a":{"priority":7},"b":{"publishParams":{"video":{"frameRate":90}}}}}"#,
            "invalid policy: 'roles.a.priority' is 7; 1 to 5 are allowed; "
                + "'roles.b.publishParams.video.frameRate' is 90; 1 to 30 are allowed"
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
