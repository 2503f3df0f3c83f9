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
import Tokens

@testable import ControlAPI

/// Who may invite others, and as what.
@Suite struct InvitationRouteTests {
    private let world: TestWorld

    init() async throws {
        world = try await TestWorld()
        for (peer, role) in [("ann", "host"), ("ben", "guest")] {
            try world.gateway.join(PeerID(peer), role: role)
        }
        _ = try await world.catalogue.registerRoom(
            CatalogueRoom(id: "hall", name: "hall", createdAt: TestWorld.now), otherName: "hall.1")
    }

    private func invite(
        _ client: any TestClientProtocol, _ peer: String, role: String = "host",
        room: String = "hall", isHere: Bool = true
    ) async throws -> TestResponse {
        let token = try world.authority.makeRoomToken(
            room: "hall", user: peer, role: role, at: TestWorld.now)
        let claims = try await world.authority.verifyRoomToken(token, at: TestWorld.now)
        world.gateway.state.withLock {
            $0.present = isHere ? [PeerID(peer): claims.tokenID] : [:]
        }
        return try await client.execute(
            uri: "/api/rooms/\(room)/invitations", method: .post,
            headers: [.authorization: "Bearer \(token)"],
            body: ByteBuffer(string: #"{"peer_id":"\#(peer)"}"#))
    }

    @Test func aHostGetsCodesOfGuestsAndOfNoHost() async throws {
        try await world.routes { client in
            let answer = try await invite(client, "ann")
            #expect(answer.status == .ok)
            let list = try #require(
                try TestJSON.object(answer)["invitations"] as? [[String: Any]])
            #expect(list.map { $0["role"] as? String } == ["guest", "viewer"])
            #expect(list[0]["publishes"] as? [String] == ["audio", "screen", "video"])
            #expect(list[1]["publishes"] as? [String] == [])
            let code = try #require(list[0]["code"] as? String)
            let token = try await client.execute(
                uri: "/v2/token", method: .post, body: ByteBuffer(string: #"{"code":"\#(code)"}"#))
            #expect(token.status == .ok)
            // The same links the next time.
            let again = try TestJSON.object(try await invite(client, "ann"))
            #expect((again["invitations"] as? [[String: Any]])?[0]["code"] as? String == code)
        }
    }

    @Test func othersDoNot() async throws {
        try await world.routes { client in
            #expect(try await invite(client, "ben", role: "guest").status == .forbidden)
            // A token that says more than the room does: the role was changed since.
            #expect(try await invite(client, "ben", role: "host").status == .forbidden)
            #expect(try await invite(client, "ann", isHere: false).status == .forbidden)
            #expect(try await invite(client, "ann", room: "other").status == .badRequest)
            let management = try await client.execute(
                uri: "/api/rooms/hall/invitations", method: .post,
                headers: try await world.managementHeaders(),
                body: ByteBuffer(string: #"{"peer_id":"ann"}"#))
            #expect(management.status == .unauthorized)
        }
    }

    @Test func nobodyHostsByAccident() async throws {
        var world = world
        world.configuration.handsOutTokens = true
        let authority = world.authority
        try await world.routes { client in
            let configuration = try TestJSON.object(
                try await client.execute(uri: "/api/config?room=hall", method: .get))
            let list = configuration["invitations"] as? [[String: Any]]
            #expect(list?.map { $0["role"] as? String } == ["guest", "viewer"])
            let answer = try await client.execute(
                uri: "/api/rooms/hall/token", method: .post,
                headers: [.contentType: "application/json"], body: ByteBuffer(string: "{}"))
            let token = try #require(try TestJSON.object(answer)["token"] as? String)
            #expect(try await authority.verifyRoomToken(token, at: TestWorld.now).role == "guest")
        }
    }

    @Test func ofHostsOnlyTheLowestIsInvited() throws {
        func role(_ name: String, _ priority: Int) -> Role {
            var role = Role(name: name, priority: priority)
            role.permissions.mute = true
            return role
        }
        let policy = try Policy(validating: [role("b", 2), role("c", 3), role("a", 1)])
        #expect(policy.invitationRoles.map(\.name) == ["c"])
    }
}
