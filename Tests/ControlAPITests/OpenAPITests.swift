import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import Workbench

@testable import ControlAPI

/// `openapi.yaml` describes the routes that there are, with their queries and bodies, and no others.
@Suite struct OpenAPITests {
    /// The file, read by its lines: it has one form throughout, in which the depth says what is what.
    private struct Document {
        var operations: Set<String> = []
        /// The names of the parameters that an operation refers to, without those of its path.
        var parameters: [String: Set<String>] = [:]
        var bodies: [String: String] = [:]
        /// `room_id` of `requiredRoomID`.
        var queries: [String: String] = [:]
        var properties: [String: Set<String>] = [:]

        init(_ text: String) {
            var (section, path, operation, schema) = ("", "", "", "")
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let depth = line.prefix { $0 == " " }.count
                let word = line.dropFirst(depth).prefix { $0 != ":" }.description
                let name = line.split(separator: "/").last.map { $0.dropLast() }.map(String.init)
                switch (section, depth) {
                case (_, 0): section = word
                case ("components", 2), ("requestBodies", 2), ("responses", 2), ("schemas", 2),
                    ("parameters", 2), ("securitySchemes", 2):
                    section = word
                case ("paths", 2): path = word
                case ("paths", 4):
                    operation = word == "parameters" ? "" : "\(word.uppercased()) \(path)"
                    if !operation.isEmpty { operations.insert(operation) }
                case ("paths", 8) where line.contains("parameters/") && !operation.isEmpty:
                    parameters[operation, default: []].insert(name ?? "")
                case ("paths", 6) where word == "requestBody":
                    bodies[operation] = name.map { String($0.dropLast()) }
                case ("parameters", 4) where line.contains("in: query"):
                    let real = line.split(separator: "name: ").last?.prefix { $0 != "," }
                    queries[word] = real.map(String.init)
                case ("schemas", 4): schema = word
                case ("schemas", 8): properties[schema, default: []].insert(word)
                default: break
                }
            }
        }
    }

    private let source = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/HTTP/ControlAPI/Web/openapi.yaml")

    private func document() throws -> Document {
        Document(try String(contentsOf: source, encoding: .utf8))
    }

    private static let described = ["/v2/", "/api/", "/health", "/ready", "/metrics"]
    /// Pages and files, and what clients of rooms and viewers use, which other documents describe.
    private static let others = [
        "/rooms/", "/recordings", "/shared/", "/watch/", "/embed/", "/assets/", "/favicon.ico",
        "/hls/", "/openapi.yaml", "/init", "/ws", NetworkTest.path,
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
            let names = (document.parameters[operation] ?? []).subtracting(["idempotencyKey"])
            let told = try names.map { try #require(document.queries[$0], "\(operation) \($0)") }
            #expect(Set(told) == Set(QueryFields.of(parts[1], method).names), "\(operation)")
        }
    }

    @Test func whatMayBeRepeatedSaysSo() throws {
        let document = try document()
        for operation in document.operations {
            let isTold = document.parameters[operation]?.contains("idempotencyKey") == true
            let isSo = operation.hasPrefix("POST /v2/") && operation != "POST /v2/token"
            #expect(isTold == isSo, "\(operation)")
        }
    }

    @Test func itsBodiesHaveTheFieldsOfTheRoutes() throws {
        let bodies: [(operation: String, fields: BodyFields)] = [
            ("POST /v2/live-streams/room/{room}/start", StartBody.fields),
            ("PATCH /v2/live-streams/{stream}", UpdateBody.fields),
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
        ]
        let document = try document()
        for (operation, fields) in bodies {
            let body = try #require(document.bodies[operation], "\(operation)")
            #expect(document.properties[body] == fields.names, "\(operation)")
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
        }
    }
}
