import Catalogue
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import NIOCore
import Rooms
import Synchronization
import Testing

@testable import ControlAPI

@Suite struct TemplateRouteTests {
    private let headers: HTTPFields
    private let world: TestWorld

    init() async throws {
        world = try await TestWorld()
        headers = try await world.managementHeaders()
    }

    private func call(
        _ client: any TestClientProtocol, _ path: String = "", _ body: String? = nil,
        method: HTTPRequest.Method? = nil
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/templates\(path)", method: method ?? (body == nil ? .get : .post),
            headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    private func make(_ client: any TestClientProtocol, _ body: String) async throws -> String {
        let made = try await call(client, "", body)
        #expect(made.status == .ok, "\(String(buffer: made.body))")
        return try #require(try TestJSON.object(made)["id"] as? String)
    }

    private func value(_ response: TestResponse) throws -> JSONValue {
        try TestJSON.decode(JSONValue.self, response)
    }

    private static let school = #"""
        {"name": "School", "default": false,
         "roles": {"teacher": {"permissions": {"endRoom": true, "own": 1}, "color": "red"},
                   "student": {"subscribeParams": {"subscribeToRoles": ["teacher", "student"]}}},
         "settings": {"region": "eu", "retry": {}},
         "destinations": {"rtmpDestinations": {"a": {"rtmpUrls": []}}}}
        """#

    @Test func aTemplateHas100msForm() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            #expect(id.count == 24 && id.allSatisfy(\.isHexDigit))
            let shown = try value(try await call(client, "/\(id)"))
            guard case .object(let fields) = shown else {
                Issue.record("\(shown)")
                return
            }
            #expect(
                fields.keys.sorted() == [
                    "_id", "createdAt", "customer", "customerId", "destinations", "id", "name",
                    "roles", "settings", "updatedAt",
                ])
            #expect(fields["id"] == .string(id) && fields["_id"] == fields["id"])
            #expect(fields["name"] == .string("School") && fields["customerId"] == .string("key"))
            #expect(fields["createdAt"] == .string("2025-10-09T08:53:20.000000000Z"))
            #expect(
                fields["settings"]
                    == .object([
                        "region": .string("eu"), "recording": .null, "retry": .object([:]),
                        // No previews, as with 100ms.
                        "roomState": .object([
                            "enabled": .bool(false), "sendPeerList": .bool(false),
                            "messageInterval": .integer(5), "stopRoomStateOnJoin": .bool(true),
                        ]),
                    ]))
            #expect(
                fields["destinations"]
                    == (try JSONValue(encoding: [
                        "rtmpDestinations": ["a": ["rtmpUrls": [String]()]]
                    ])))
            // A role is returned completely, including unknown fields.
            let teacher = try value(try await call(client, "/\(id)/roles/teacher"))
            guard case .object(let roles) = fields["roles"], case .object(let role) = teacher else {
                Issue.record("\(shown)")
                return
            }
            #expect(roles["teacher"] == teacher && roles.keys.sorted() == ["student", "teacher"])
            #expect(role["name"] == .string("teacher") && role["color"] == .string("red"))
            #expect(role["priority"] == .integer(5) && role["maxPeerCount"] == .integer(0))
            guard case .object(let permissions) = role["permissions"] else {
                Issue.record("\(role)")
                return
            }
            #expect(permissions["endRoom"] == .bool(true) && permissions["mute"] == .bool(false))
            #expect(permissions["own"] == .integer(1))
        }
    }

    @Test func whatAChangeNamesIsReplacedAndTheRestStays() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            let before = try value(try await call(client, "/\(id)/destinations"))
            let changed = try await call(
                client, "/\(id)", #"{"name":"Club","roles":{"member":{}}}"#)
            let object = try TestJSON.object(changed)
            #expect(object["name"] as? String == "Club")
            #expect((object["roles"] as? [String: Any])?.keys.sorted() == ["member"])
            #expect(try value(try await call(client, "/\(id)/destinations")) == before)
            let settings = try await call(client, "/\(id)/settings", #"{"region":"us"}"#)
            #expect(try TestJSON.object(settings)["region"] as? String == "us")
            #expect(try TestJSON.object(settings)["retry"] == nil)
            #expect(try await call(client, "/\(id)/settings").body == settings.body)
            let destinations = try await call(client, "/\(id)/destinations", "{}")
            #expect(try value(destinations) == .object([:]))
        }
    }

    @Test func whoLooksInIsToldWhatTheSettingsSayAndNothingWithoutAny() async throws {
        try await world.routes { client in
            let id = try await make(
                client, #"{"roles":{"a":{}},"settings":{"roomState":{"enabled":true}}}"#)
            func shown(_ response: TestResponse) throws -> Bool? {
                let state = try TestJSON.object(response)["roomState"] as? [String: Any]
                return state?["enabled"] as? Bool
            }
            #expect(try shown(try await call(client, "/\(id)/settings")) == true)
            for (path, body) in [
                ("/\(id)/settings", "{}"), ("/\(id)/settings", #"{"roomState":null}"#),
                ("/\(id)", #"{"settings":{}}"#),
            ] {
                _ = try await call(
                    client, "/\(id)/settings", #"{"roomState":{"enabled":true}}"#)
                _ = try await call(client, path, body)
                #expect(try shown(try await call(client, "/\(id)/settings")) == false, "\(body)")
            }
            // Also without any settings; the policy file sets everything.
            let plain = try await make(client, #"{"roles":{"a":{}}}"#)
            #expect(try shown(try await call(client, "/\(plain)/settings")) == false)
            #expect(try shown(try await call(client, "/default/settings")) == nil)
        }
    }

    @Test func whatIsNotKnownBesideRolesIsKeptAndReturned() async throws {
        try await world.routes { client in
            let plugins = #"{"noiseCancellation":{"enabled":true}}"#
            let id = try await make(client, #"{"roles":{"a":{}},"plugins":\#(plugins),"own":1}"#)
            let shown = try await call(client, "/\(id)")
            #expect(String(buffer: shown.body).contains(#""plugins":\#(plugins)"#))
            // Missing fields are unchanged, and a response may be sent back.
            _ = try await call(client, "/\(id)", #"{"own":2}"#)
            let back = try await call(
                client, "/\(id)", String(buffer: try await call(client, "/\(id)").body))
            #expect(back.status == .ok)
            let object = try TestJSON.object(back)
            #expect(object["plugins"] != nil && object["own"] as? Int == 2)
            let written = try #require(try await world.catalogue.template(id))
            #expect(try written.contents.others.keys.sorted() == ["own", "plugins"])
        }
    }

    @Test func whatIsNotSaidOfARoleIsAsWith100ms() async throws {
        try await world.routes { client in
            let id = try await make(
                client,
                #"""
                {"roles": {"guest": {}, "null": {"publishParams": null, "permissions": null},
                           "quiet": {"publishParams": {}, "subscribeParams": {},
                                     "permissions": {"hlsStreaming": false, "rtmpStreaming": null}},
                           "unseen": {"isHidden": true}, "__internal_recorder": {}}}
                """#)
            _ = try await call(client, "/\(id)/roles/late", #"{"permissions":{"mute":true}}"#)
            // Earlier roles are unchanged.
            _ = try await call(client, "/\(id)", #"{"name":"\#(UUID().uuidString)"}"#)
            func shown(_ name: String) async throws -> Role {
                try TestJSON.decode(Role.self, try await call(client, "/\(id)/roles/\(name)"))
            }
            var streaming = Permissions()
            streaming.hlsStreaming = true
            streaming.rtmpStreaming = true
            streaming.browserRecording = true
            for name in ["guest", "null", "late"] {
                var expected = streaming
                expected.mute = name == "late"
                let role = try await shown(name)
                #expect(role.permissions == expected, "\(name)")
                #expect(role.publishParams.allowed == [.audio, .video, .screen], "\(name)")
                #expect(role.subscribeParams.subscribeToRoles == ["*"], "\(name)")
            }
            let quiet = try await shown("quiet")
            #expect(quiet.publishParams.allowed.isEmpty)
            #expect(quiet.subscribeParams.subscribeToRoles.isEmpty)
            #expect(!quiet.permissions.hlsStreaming && quiet.permissions.rtmpStreaming)
            for name in ["unseen", "__internal_recorder"] {
                let role = try await shown(name)
                #expect(role.permissions == Permissions(), "\(name)")
                #expect(role.publishParams.allowed.isEmpty, "\(name)")
            }
        }
    }

    @Test func rolesThatWereWrittenBeforeAreNotGivenMore() async throws {
        let old = CatalogueTemplate(
            id: "old", name: "old",
            document: #"{"roles":{"a":{"name":"a"}},"settings":{},"destinations":{}}"#,
            createdAt: UnixTime(seconds: 1_760_000_000))
        _ = try await world.catalogue.createTemplate(old)
        try await world.routes { client in
            let changed = try await call(client, "/old", #"{"name":"older"}"#)
            #expect(changed.status == .ok)
            _ = try await call(client, "/old/roles/b", "{}")
            let role = try TestJSON.decode(Role.self, try await call(client, "/old/roles/a"))
            #expect(role == Role(name: "a"))
        }
    }

    @Test func aTemplateWithoutRolesHasThoseOfThePolicyFile() async throws {
        try await world.routes { client in
            let id = try await make(client, #"{"name":"x"}"#)
            let made = try await call(client, "/\(id)/roles/host")
            #expect(made.status == .ok)
            #expect(try await call(client, "/default/roles/host").body == made.body)
        }
    }

    @Test func aTemplateOfAKnownNameIsOverwritten() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            let other = try await make(client, #"{"name":"Other","roles":{"a":{}}}"#)
            #expect(
                try await make(client, #"{"name":"sCHOOL","roles":{"pupil":{}}}"#) == id)
            let object = try TestJSON.object(try await call(client, "/\(id)"))
            #expect(object["name"] as? String == "sCHOOL")
            #expect((object["roles"] as? [String: Any])?.keys.sorted() == ["pupil"])
            #expect((object["destinations"] as? [String: Any])?.isEmpty == true)
            #expect((object["settings"] as? [String: Any])?["retry"] == nil)
            #expect(other != id)
            // An invalid one leaves the other unchanged.
            let refused = try await call(client, "", #"{"name":"School","roles":{"bad":{}}}"#)
            #expect(refused.status == .badRequest)
            let now = try TestJSON.object(try await call(client, "/\(id)"))
            #expect(now["name"] as? String == "sCHOOL")
        }
    }

    @Test func rolesComeGoAndAreRenamed() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            let added = try await call(client, "/\(id)/roles/guest%20of%20us", #"{"priority":2}"#)
            #expect(try TestJSON.object(added)["name"] as? String == "guest of us")
            let renamed = try await call(client, "/\(id)/roles/teacher", #"{"name":"coach"}"#)
            #expect(try TestJSON.object(renamed)["name"] as? String == "coach")
            #expect(try await call(client, "/\(id)/roles/teacher").status == .notFound)
            let student = try await call(client, "/\(id)/roles/student")
            #expect(
                String(buffer: student.body).contains(
                    #""subscribeToRoles":["coach","student"]"#))
            let taken = try await call(client, "/\(id)/roles/coach", #"{"name":"student"}"#)
            #expect(taken.status == .conflict)
            #expect(
                try await call(client, "/\(id)/roles/coach", method: .delete).status == .noContent)
            #expect(
                try await call(client, "/\(id)/roles/coach", method: .delete).status == .notFound)
            let alone = try await call(client, "/\(id)/roles/student")
            #expect(String(buffer: alone.body).contains(#""subscribeToRoles":["student"]"#))
        }
    }

    @Test func whatCannotBeMeantChangesNothing() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            let before = try await call(client, "/\(id)")
            _ = try await make(client, #"{"name":"Other","roles":{"a":{}}}"#)
            let long = String(repeating: "x", count: 129)
            let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
            for (path, body, status) in [
                ("", #"{"name":"Default","roles":{"a":{}}}"#, 409),
                ("", #"{"name":"\#(long)","roles":{"a":{}}}"#, 400),
                ("", #"{"name":"","roles":{"a":{}}}"#, 400),
                ("", #"{"default":true,"roles":{"a":{}}}"#, 409),
                ("", #"{"roles":[]}"#, 400), ("", #"{"roles":{"a":1}}"#, 400),
                ("", #"{"roles":{}}"#, 400), ("", #"{"roles":{"bad":{}}}"#, 400),
                ("/\(id)", #"{"roles":{"bad":{}}}"#, 400), ("/\(id)", #"{"name":"OTHER"}"#, 409),
                ("/\(id)/roles/bad", "{}", 400), ("/\(id)/roles/a", "[]", 400),
                ("/\(id)/roles/a", #"{"name":7}"#, 400),
                ("/\(id)/roles/a", #"{"own":\#(deep)}"#, 400),
                ("/\(id)/settings", #"{"region":"mars"}"#, 400),
                ("/\(id)/settings", #"{"recording":{"upload":{"type":"s3"}}}"#, 400),
                ("/\(id)/roles/a", #"{"own":"\#(String(repeating: "x", count: 262_100))"}"#, 400),
                ("/\(id)/roles/a", #"{"own":"\#(String(repeating: "x", count: 262_144))"}"#, 413),
                ("/none", #"{"name":"x"}"#, 404), ("/none/roles/a", "{}", 404),
                ("/none/settings", "{}", 404), ("/none/destinations", "{}", 404),
            ] {
                let answer = try await call(client, path, body)
                #expect(Int(answer.status.code) == status, "\(path) \(body.prefix(80))")
                #expect(try TestJSON.decode(APIError.Body.self, answer).code == status)
            }
            #expect(try await call(client, "/\(id)").body == before.body)
            for path in ["/none", "/none/roles/a", "/none/settings", "/none/destinations"] {
                #expect(try await call(client, path).status == .notFound)
            }
        }
    }

    @Test func thePolicyFileIsShownAndNotChanged() async throws {
        try await world.routes { client in
            let shown = try TestJSON.object(try await call(client, "/default"))
            #expect(shown["id"] as? String == "default" && shown["name"] as? String == "default")
            #expect(try await call(client, "/default/roles/host").status == .ok)
            for (path, body) in [
                ("", #"{"name":"x"}"#), ("/roles/host", "{}"), ("/settings", "{}"),
                ("/destinations", "{}"),
            ] {
                let answer = try await call(client, "/default\(path)", body)
                #expect(answer.status == .conflict)
                #expect(
                    try TestJSON.decode(APIError.Body.self, answer).details
                        == ["it is the policy file, which the operator changes"])
            }
            #expect(
                try await call(client, "/default/roles/host", method: .delete).status == .conflict)
        }
    }

    @Test func templatesAreListedNewestFirstAndThePolicyFileLast() async throws {
        for index in 0..<20 {
            _ = try await world.catalogue.createTemplate(
                CatalogueTemplate(
                    id: "t\(index)", name: "t\(index)",
                    document: #"{"roles":{"a":{"name":"a"}},"settings":{},"destinations":{}}"#,
                    createdAt: UnixTime(seconds: 1_760_000_000 + Int64(index))))
        }
        try await world.routes { client in
            var ids: [String] = []
            var start = ""
            var pages = 0
            repeat {
                let page = try TestJSON.object(try await call(client, "?limit=10&start=\(start)"))
                let data = try #require(page["data"] as? [[String: Any]])
                ids += data.compactMap { $0["id"] as? String }
                start = try #require(page["last"] as? String)
                pages += 1
            } while !start.isEmpty && pages < 9
            #expect(pages == 3)
            #expect(ids == (0..<20).reversed().map { "t\($0)" } + ["default"])
            #expect(try await call(client, "?limit=9").status == .badRequest)
        }
    }

    @Test func aRoomHasATemplateThatIsThere() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            func room(_ body: String, _ path: String = "") async throws -> TestResponse {
                try await client.execute(
                    uri: "/v2/rooms\(path)", method: .post, headers: headers,
                    body: ByteBuffer(string: body))
            }
            let made = try TestJSON.object(try await room(#"{"template_id":"\#(id)"}"#))
            let path = "/\(try #require(made["id"] as? String))"
            #expect(made["template_id"] as? String == id)
            #expect(made["template"] as? String == "School")
            let kept = try TestJSON.object(try await room(#"{"description":"d"}"#, path))
            #expect(kept["template_id"] as? String == id)
            #expect(try await room(#"{"template_id":"none"}"#, path).status == .badRequest)
            let back = try TestJSON.object(try await room(#"{"template_id":"default"}"#, path))
            #expect(back["template_id"] as? String == "default")
            #expect(back["template"] as? String == "default")
            #expect(world.gateway.state.withLock { $0.changes.map(\.template) } == [id, id, nil])
        }
    }

    @Test func listedRoomsSayTheNamesOfTheirTemplates() async throws {
        try await world.routes { client in
            let id = try await make(client, Self.school)
            let other = try await make(client, #"{"name":"Other","roles":{"a":{}}}"#)
            for body in ["{}", #"{"template_id":"\#(other)"}"#, #"{"template_id":"\#(id)"}"#] {
                _ = try await client.execute(
                    uri: "/v2/rooms", method: .post, headers: headers,
                    body: ByteBuffer(string: body))
            }
            let answer = try await client.execute(
                uri: "/v2/rooms", method: .get, headers: headers)
            let rooms = try #require(try TestJSON.object(answer)["data"] as? [[String: Any]])
            let names = rooms.compactMap { $0["template"] as? String }
            #expect(names.sorted() == ["Other", "School", "default"])
            let ids = rooms.compactMap { $0["template_id"] as? String }
            #expect(ids.sorted() == ["default", id, other].sorted())
        }
    }

    @Test func whoHasNoTokenIsRefused() async throws {
        try await world.routes { client in
            for (path, method) in [
                ("", HTTPRequest.Method.get), ("", .post), ("/default", .get), ("/x", .post),
                ("/x/roles/a", .get), ("/x/roles/a", .post), ("/x/roles/a", .delete),
                ("/x/settings", .get), ("/x/settings", .post), ("/x/destinations", .post),
            ] {
                let answer = try await client.execute(uri: "/v2/templates\(path)", method: method)
                #expect(answer.status == .unauthorized)
            }
        }
    }

    /// As in 100ms' documents when no store is configured.
    @Test(arguments: [
        "{}", "null", #"{"type":"","location":"","prefix":"","options":{},"credentials":{}}"#,
        #"{"type":"","credentials":{"key":"","secretKey":""},"options":{"region":""}}"#,
    ]) func anUploadThatSaysNothingIsTaken(upload: String) async throws {
        try await world.routes { client in
            let id = try await make(
                client,
                #"{"roles":{"a":{}},"settings":{"recording":{"enabled":true,"upload":\#(upload)}}}"#
            )
            let refused = try await call(
                client, "/\(id)/settings", #"{"recording":{"upload":{"type":"","location":"b"}}}"#)
            #expect(refused.status == .badRequest)
        }
    }

    @Test func recordingsAreConfiguredAsDocumented() async throws {
        try await world.routes { client in
            let id = try await make(client, #"{"roles":{"host":{}}}"#)
            let path = "/\(id)/recordings"
            #expect(String(buffer: try await call(client, path).body) == "[]")
            let written = #"""
                [{"name": "default", "role": "host", "maxDuration": 1800, "presignDuration": 3600,
                  "thumbnails": {"enabled": false, "width": 1280, "height": 720, "offsets": [2],
                                 "fps": 60},
                  "compositeRecording": {
                    "browserComposite": {"autoStart": false, "autoStopTimeout": 500,
                                         "width": 1920, "height": 1080},
                    "customComposite": {"enabled": false}},
                  "trackRecording": {"enabled": false},
                  "streamRecording": {"enabled": true, "width": 1920, "height": 1080}}]
                """#
            let answer = try await call(client, path, written)
            #expect(answer.status == .ok, "\(String(buffer: answer.body))")
            let expected = try JSONDocument.decode(JSONValue.self, from: written.utf8)
            #expect(try value(answer) == expected)
            #expect(try value(try await call(client, path)) == expected)
            for (body, words) in [
                ("{}", "not of type array"), ("[5]", "not of type"),
                (#"[{"name":"a"},{"name":"b"}]"#, "a list of at most one"),
                (#"[{"role":"host"}]"#, "[0].name is missing"),
                (#"[{"name":"a","role":"pope"}]"#, "no role is called 'pope'"),
                (#"[{"name":"a","rol":"host"}]"#, "[0].rol is not known; did you mean role?"),
            ] {
                let refused = try await call(client, path, body)
                #expect(refused.status == .badRequest, "\(body)")
                #expect(String(buffer: refused.body).contains(words), "\(body)")
            }
            #expect(try value(try await call(client, path)) == expected)
        }
    }
}
