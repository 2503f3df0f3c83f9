import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MediaKernel
import Testing
import Workbench

@testable import ControlAPI

/// `openapi.yaml` describes the routes that there are, with their queries and bodies, and no others.
@Suite struct OpenAPITests {
    private struct Document {
        var operations: Set<String> = []
        /// The names in the queries, and of the headers.
        var queries: [String: Set<String>] = [:]
        var headers: [String: Set<String>] = [:]
        /// The names of the fields of the bodies.
        var bodies: [String: Set<String>] = [:]
        private let root: JSONValue

        init(_ root: JSONValue) throws {
            self.root = root
            for (path, item) in try #require(root["paths"].members) {
                for (method, operation) in item.members ?? [:] where method != "parameters" {
                    let name = "\(method.uppercased()) \(path)"
                    operations.insert(name)
                    for parameter in operation["parameters"].items {
                        let parameter = resolved(parameter)
                        let told = try #require(parameter["name"].text)
                        switch parameter["in"].text {
                        case "query": queries[name, default: []].insert(told)
                        case "header": headers[name, default: []].insert(told)
                        default: break
                        }
                    }
                    let content = resolved(operation["requestBody"])["content"]
                    let schema = resolved(content["application/json"]["schema"])
                    bodies[name] = schema["properties"].members.map { Set($0.keys) }
                }
            }
        }

        private func resolved(_ value: JSONValue) -> JSONValue {
            guard let path = value["$ref"].text else { return value }
            return path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] }
        }
    }

    private let source = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/HTTP/ControlAPI/Web/openapi.yaml")

    private func document() throws -> Document {
        let json = try APIDescription.json(yaml: Array(Data(contentsOf: source)))
        return try Document(JSONDocument(json, limits: .own).root.decode(JSONValue.self))
    }

    private static let described = [
        "/v2/", "/api/", "/admin/api/", "/health", "/ready", "/metrics", "/pictures/",
    ]
    /// Pages and files, and what clients of rooms and viewers use, which other documents describe.
    private static let others = [
        "/rooms/", "/recordings", "/shared/", "/admin", "/watch/", "/embed/", "/assets/",
        "/favicon.ico", "/hls/", "/docs", "/openapi.yaml", "/openapi.json", "/init", "/ws",
        NetworkTest.path,
    ]

    private static func isDescribed(_ path: String) -> Bool {
        described.contains { path.hasPrefix($0) }
    }

    @Test func everyRouteIsInItAndNothingElse() async throws {
        let routes = try await TestWorld().service.router().routes
            .filter { $0.method != .options }.map { "\($0.method.rawValue) \($0.path)" }
        let described = Set(
            routes.filter { Self.isDescribed($0.split(separator: " ")[1].description) })
        let document = try document()
        #expect(described.count > 80)
        #expect(document.operations.subtracting(described) == [])
        #expect(described.subtracting(document.operations) == [])
        for route in routes where !described.contains(route) {
            let path = String(route.split(separator: " ")[1])
            #expect(path == "/" || Self.others.contains { path.hasPrefix($0) }, "\(route)")
        }
    }

    @Test func itsQueriesAreThoseOfTheRoutes() throws {
        let document = try document()
        for operation in document.operations where operation.contains(" /v2/") {
            let parts = operation.split(separator: " ").map(String.init)
            let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
            let told = document.queries[operation] ?? []
            #expect(told == Set(QueryFields.of(parts[1], method).names), "\(operation)")
        }
    }

    @Test func whatMayBeRepeatedSaysSo() throws {
        let document = try document()
        for operation in document.operations {
            let isTold = document.headers[operation]?.contains("Idempotency-Key") == true
            let isSo = operation.hasPrefix("POST /v2/") && operation != "POST /v2/token"
            #expect(isTold == isSo, "\(operation)")
        }
    }

    @Test func itsBodiesHaveTheFieldsOfTheRoutes() throws {
        let bodies: [(operation: String, fields: BodyFields)] = [
            ("POST /v2/live-streams/room/{room}/start", StartBody.fields),
            ("PATCH /v2/live-streams/{stream}", UpdateBody.fields),
            ("PATCH /api/rooms/{room}/stream", UpdateBody.fields),
            ("POST /v2/live-streams/{stream}/timed-metadata", TimedMetadataBody.fields),
            ("POST /v2/live-streams/{stream}/captions", CaptionsBody.fields),
            ("POST /v2/live-streams/{stream}/outputs", OutputBody.fields),
            ("POST /v2/recordings/room/{room}/start", RecordingStartBody.fields),
            ("PATCH /v2/recordings/{recording}", RecordingChangeBody.fields),
            ("PATCH /api/recordings/{recording}", RecordingChangeBody.fields),
            ("POST /v2/external-streams/room/{room}/start", ExternalStartBody.fields),
            ("POST /v2/rooms", RoomRequestBody.fields),
            ("POST /v2/rooms/{room}", RoomRequestBody.fields),
            ("POST /v2/active-rooms/{room}/peers/{peer}", PeerRequestBody.fields),
            ("POST /v2/active-rooms/{room}/send-message", MessageRequestBody.fields),
            ("POST /v2/active-rooms/{room}/remove-peers", RemovalRequestBody.fields),
            ("POST /v2/active-rooms/{room}/end-room", EndRequestBody.fields),
            ("POST /v2/group-calls", GroupCallBody.fields),
            ("POST /v2/group-calls/{room}/custom-items", CustomItemsBody.fields),
            ("DELETE /v2/group-calls/{room}/custom-items", CustomItemKeysBody.fields),
            ("POST /v2/group-calls/{room}/invitations", InvitationBody.fields),
            ("POST /admin/api/session", AdminLogin.fields),
        ]
        let document = try document()
        for (operation, fields) in bodies {
            #expect(document.bodies[operation] == fields.names, "\(operation)")
        }
    }

    @Test func theServerGivesIt() async throws {
        let world = try await TestWorld()
        try world.scratch.write("openapi: 3.1.0\n".utf8, to: "web/openapi.yaml")
        try await world.routes { client in
            let answer = try await client.execute(uri: "/openapi.yaml", method: .get)
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/yaml")
            #expect(String(buffer: answer.body) == "openapi: 3.1.0\n")
            let read = try await client.execute(uri: "/openapi.json", method: .get)
            #expect(read.status == .ok)
            #expect(read.headers[.contentType] == "application/json")
            #expect(String(buffer: read.body) == #"{"openapi":"3.1.0"}"#)
        }
    }

    @Test func theServerDoesNotStartWithADescriptionThatIsNone() async throws {
        let world = try await TestWorld()
        try world.scratch.write("openapi: [3.1.0\n".utf8, to: "web/openapi.yaml")
        #expect {
            try world.service
        } throws: { error in
            if case HTTPServiceError.pages = error { true } else { false }
        }
    }

    private func json(_ yaml: String) throws -> String {
        String(decoding: try APIDescription.json(yaml: Array(yaml.utf8)), as: UTF8.self)
    }

    @Test func valuesKeepTheirKindAndOrder() throws {
        let yaml = """
            z: 1
            a: {number: 0.5, text: "0.5", flag: true, word: 'true', nothing: null}
            list: [-3, "2", 3.1.0, yes please]
            long: >-
              two
              lines
            kept: |
              a "b" \\

              ü\tc
            """
        #expect(
            try json(yaml) == #"""
                {"z":1,"a":{"number":0.5,"text":"0.5","flag":true,"word":"true","nothing":null},\#
                "list":[-3,"2","3.1.0","yes please"],"long":"two lines",\#
                "kept":"a \"b\" \\\n\nü\u0009c"}
                """#)
    }

    @Test(arguments: ["", "a: [1", "a: {b", "{[1]: 2}", "a: *b", "- &a [*a]"])
    func whatIsNoDescriptionIsRefused(_ yaml: String) {
        #expect(throws: APIDescription.Fault.notYAML) { try json(yaml) }
    }

    @Test func whatIsTooDeepIsRefused() throws {
        let deep = { (depth: Int) in
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try json(deep(64)) == deep(64))
        #expect(throws: APIDescription.Fault.tooDeep) { try json(deep(65)) }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue { members?[name] ?? .null }

    fileprivate var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    fileprivate var items: [JSONValue] {
        guard case .array(let items) = self else { return [] }
        return items
    }

    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
