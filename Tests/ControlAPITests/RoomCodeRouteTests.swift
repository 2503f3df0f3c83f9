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

/// A world with the room `hall`.
@Suite struct RoomCodeRouteTests {
    private let headers: HTTPFields
    private let world: TestWorld

    init() async throws {
        world = try await TestWorld()
        headers = try await world.managementHeaders()
        _ = try await world.catalogue.registerRoom(
            CatalogueRoom(
                id: "hall", name: "hall",
                createdAt: TestWorld.now),
            otherName: "x")
    }

    private func post(
        _ client: any TestClientProtocol, _ path: String, _ body: String = ""
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v2/room-codes\(path)", method: .post, headers: headers,
            body: ByteBuffer(string: body))
    }

    private func get(
        _ client: any TestClientProtocol, _ path: String
    ) async throws -> TestResponse {
        try await client.execute(uri: "/v2/room-codes\(path)", method: .get, headers: headers)
    }

    private func trade(
        _ client: any TestClientProtocol, _ body: String, from address: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let address, let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        return try await client.execute(
            uri: "/v2/token", method: .post, headers: headers,
            body: ByteBuffer(string: body))
    }

    private func codes(_ response: TestResponse) throws -> [String: String] {
        let data = try TestJSON.object(response)["data"] as? [[String: Any]] ?? []
        let pairs = data.compactMap { one in
            (one["role"] as? String).flatMap { role in (one["code"] as? String).map { (role, $0) } }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func setEnabled(_ isEnabled: Bool) async throws {
        _ = try await world.catalogue.updateRoom(
            "hall", at: TestWorld.now
        ) {
            $0.isEnabled = isEnabled
            return true
        }
    }

    @Test func aRoomHasACodeForEachRoleOfPeople() async throws {
        try await world.routes { client in
            let made = try await post(client, "/room/hall")
            let codes = try self.codes(made)
            #expect(Set(codes.keys) == ["host", "guest", "viewer"])
            for code in codes.values {
                #expect(code.wholeMatch(of: /[a-z]{3}-[a-z]{4}-[a-z]{3}/) != nil)
            }
            #expect(try self.codes(try await post(client, "/room/hall")) == codes)
            let one = try await post(client, "/room/hall/role/host")
            #expect(
                String(buffer: one.body)
                    == #"{"code":"\#(codes["host"] ?? "")","#
                    + #""created_at":"2025-10-09T08:53:20.000000000Z","enabled":true,"#
                    + #""role":"host","room_id":"hall","#
                    + #""updated_at":"2025-10-09T08:53:20.000000000Z"}"#)
            let list = try TestJSON.object(try await get(client, "/room/hall"))
            #expect((list["data"] as? [Any])?.count == 3)
            #expect(list["limit"] as? Int == 20 && list["last"] as? String == "")
            let hosts = try self.codes(try await get(client, "/room/hall?role=host&enabled=true"))
            #expect(hosts == ["host": codes["host"]])
            #expect(try self.codes(try await get(client, "/room/hall?enabled=false")) == [:])
        }
    }

    @Test func aRolesNameMayHaveAnyCharacters() async throws {
        let policy = try Policy(validating: [Role(name: "stage crew"), Role(name: "guest")])
        world.gateway.state.withLock { $0.policy = policy }
        try await world.routes { client in
            let made = try await post(client, "/room/hall/role/stage%20crew")
            #expect(try TestJSON.object(made)["role"] as? String == "stage crew")
        }
    }

    @Test func aCodeIsTradedForATokenOfItsRole() async throws {
        try await world.routes { client in
            let codes = try self.codes(try await post(client, "/room/hall"))
            let answer = try await trade(
                client, #"{"code":"\#(codes["guest"] ?? "")","user_id":"ann"}"#)
            #expect(answer.status == .ok)
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            let object = try TestJSON.object(answer)
            for name in ["expires_at", "expiresAt"] {
                #expect(object[name] as? String == "2025-10-10T08:53:20.000000000Z", "\(name)")
            }
            let token = try #require(object["token"] as? String)
            let claims = try await world.authority.verifyRoomToken(token, at: TestWorld.now)
            #expect(claims.room == "hall" && claims.role == "guest" && claims.user == "ann")
            #expect(claims.expiresAt == TestWorld.now + .seconds(86_400))
            // A user name is optional.
            let other = try TestJSON.object(
                try await trade(client, #"{"code":"\#(codes["host"] ?? "")"}"#))
            let anonymous = try await world.authority.verifyRoomToken(
                try #require(other["token"] as? String), at: TestWorld.now)
            #expect(anonymous.user.count == 36 && anonymous.role == "host")
            let preflight = try await client.execute(uri: "/v2/token", method: .options)
            #expect(preflight.status == .noContent)
            #expect(preflight.headers[.accessControlAllowMethods] == "POST, OPTIONS")
            #expect(
                preflight.headers[.accessControlAllowHeaders]?.contains("content-type") == true)
        }
    }

    @Test func whatIsDisabledIsNotTraded() async throws {
        try await world.routes { client in
            let code = try #require(try self.codes(try await post(client, "/room/hall"))["host"])
            func refusal() async throws -> APIError.Body {
                let answer = try await trade(client, #"{"code":"\#(code)","user_id":"ann"}"#)
                #expect(answer.headers[.accessControlAllowOrigin] == "*")
                return try TestJSON.decode(APIError.Body.self, answer)
            }
            // Regardless of the state of the room's policy.
            world.gateway.state.withLock { $0.policyRefusal = .unavailable("no policy") }
            let off = try await post(client, "/code", #"{"code":"\#(code)","enabled":false}"#)
            #expect(try TestJSON.object(off)["enabled"] as? Bool == false)
            world.gateway.state.withLock { $0.policyRefusal = nil }
            #expect(
                try await refusal()
                    == .init(code: 403, message: "room code is disabled", details: []))
            _ = try await post(client, "/code", #"{"code":"\#(code)","enabled":true}"#)
            try await setEnabled(false)
            #expect(
                try await refusal()
                    == APIError.roomDisabled("hall").body)
            for answer in [
                try await post(client, "/room/hall"), try await get(client, "/room/hall"),
                try await post(client, "/room/hall/role/host"),
            ] {
                #expect(answer.status == .forbidden)
            }
            try await setEnabled(true)
            // The policy has changed: it has no role `host` any more.
            let policy = try Policy(validating: [Role(name: "guest")])
            world.gateway.state.withLock { $0.policy = policy }
            #expect(try await refusal() == APIError.roleGone("host").body)
            _ = try await post(client, "/room/hall")
            #expect(try await refusal() == APIError.roomCodeDisabled().body)
            let on = try await post(client, "/code", #"{"code":"\#(code)","enabled":true}"#)
            #expect(on.status == .forbidden)
        }
    }

    @Test func aDisabledCodeIsFollowedByAnotherAndTooManyAreRefused() async throws {
        try await world.routes { client in
            func code() async throws -> String {
                let made = try await post(client, "/room/hall/role/host")
                return try #require(try TestJSON.object(made)["code"] as? String)
            }
            let leaked = try await code()
            _ = try await post(client, "/code", #"{"code":"\#(leaked)","enabled":false}"#)
            let fresh = try await code()
            #expect(fresh != leaked)
            #expect(try await trade(client, #"{"code":"\#(fresh)"}"#).status == .ok)
            #expect(try await trade(client, #"{"code":"\#(leaked)"}"#).status == .forbidden)
            #expect(
                try self.codes(try await get(client, "/room/hall?enabled=false"))
                    == ["host": leaked])
            for number in 1..<RoomCode.perRoomMaximum {
                _ = try await world.catalogue.makeRoomCodes(
                    of: ["role\(number)"], areAll: false, room: "hall", at: TestWorld.now,
                    newCode: { "code-\(number)" })
            }
            let refused = try await post(client, "/room/hall/role/guest")
            #expect(refused.status == .conflict)
            #expect(try TestJSON.refusal(refused) == APIError.tooManyRoomCodes().body)
        }
    }

    @Test(arguments: [
        ("{}", 400, "malformed body"), (#"{"code":5}"#, 400, "malformed body"),
        (#"{"code":"abc-defg-hij"}"#, 404, "room code not found"),
        (#"{"code":""}"#, 404, "room code not found"),
        (#"{"code":"' OR 1=1 --"}"#, 404, "room code not found"),
        (#"{"code":"abc-defg-hij","user_id":""}"#, 400, "user_id is not valid"),
        (
            #"{"code":"abc-defg-hij","user_id":"\#(String(repeating: "a", count: 129))"}"#, 400,
            "user_id is not valid"
        ),
    ])
    func whatIsNoCodeIsRefusedWithCORS(body: String, code: Int, message: String) async throws {
        try await world.routes { client in
            let answer = try await trade(client, body)
            #expect(Int(answer.status.code) == code)
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            let error = try TestJSON.decode(APIError.Body.self, answer)
            #expect(error.code == code && error.message == message)
        }
    }

    @Test func whoHasNoTokenAndWhatIsNotThereAreRefused() async throws {
        try await world.routes { client in
            for path in [
                "/room/none", "/room/hall/role/none", "/room/hall/role/__internal_recorder",
            ] {
                #expect(try await post(client, path).status == .notFound, "\(path)")
            }
            for path in ["/room/none", "/room/hall?role=none"] {
                #expect(try await get(client, path).status == .notFound, "\(path)")
            }
            #expect(try await get(client, "/room/hall?enabled=maybe").status == .badRequest)
            #expect(try await get(client, "/room/hall?limit=5").status == .badRequest)
            let body = #"{"code":"abc-defg-hij","enabled":true}"#
            #expect(try await post(client, "/code", body).status == .notFound)
            #expect(try await post(client, "/code", #"{"code":"x"}"#).status == .badRequest)
            for (path, method) in [
                ("/room/hall", HTTPRequest.Method.get), ("/room/hall", .post), ("/code", .post),
                ("/room/hall/role/host", .post),
            ] {
                let answer = try await client.execute(
                    uri: "/v2/room-codes\(path)", method: method)
                #expect(answer.status == .unauthorized)
            }
        }
    }

    @Test func unknownCodesAreCountedOfEachAddressForItself() async throws {
        let time = Mutex(Instant.zero)
        let gate = GuessGate(rate: 1, burst: 2) { time.withLock { $0 } }
        let router = Router(context: CallerContext.self)
        TokenRoute(
            catalogue: world.catalogue, gateway: world.gateway, authority: world.authority,
            gate: gate,
            clock: { TestWorld.now }
        ).add(to: router)
        let good = "good-code"
        _ = try await world.catalogue.makeRoomCodes(
            of: ["host"], areAll: false, room: "hall", at: UnixTime(seconds: 1)
        ) { good }
        try await Application(router: router).test(.router) { client in
            func statuses(_ code: String, of address: String, count: Int) async throws -> [Int] {
                var statuses: [Int] = []
                for _ in 0..<count {
                    let answer = try await trade(
                        client, #"{"code":"\#(code)"}"#, from: address)
                    statuses.append(Int(answer.status.code))
                }
                return statuses
            }
            let bad = "abc-defg-hij"
            let known = try await statuses(good, of: "192.0.2.1", count: 5)
            #expect(known == [200, 200, 200, 200, 200])
            let unknown = try await statuses(bad, of: "192.0.2.1", count: 3)
            #expect(unknown == [404, 404, 429])
            let shut = try await statuses(good, of: "192.0.2.1", count: 1)
            #expect(shut == [429])
            // The client's own header value precedes the proxy's.
            let other = try await statuses(good, of: "192.0.2.1, 192.0.2.2", count: 1)
            #expect(other == [200])
            time.withLock { $0 += .seconds(1) }
            let later = try await statuses(good, of: "192.0.2.1", count: 1)
            #expect(later == [200])
        }
    }

    /// Requests in progress all find the gate open, and all count.
    @Test func whatIsTriedAtOnceIsOwed() {
        let time = Mutex(Instant.zero)
        let gate = GuessGate(rate: 10, burst: 2) { time.withLock { $0 } }
        #expect(gate.isOpen(to: [1]))
        for _ in 0..<52 { gate.failed([1]) }
        time.withLock { $0 += .milliseconds(5099) }
        #expect(!gate.isOpen(to: [1]))
        #expect(gate.isOpen(to: [2]))
        time.withLock { $0 += .milliseconds(1) }
        #expect(gate.isOpen(to: [1]))
    }

    /// The memory for them is bounded; up to the bound no address is forgotten.
    @Test func onlySoManyAddressesAreKeptInMind() {
        let gate = GuessGate(rate: 1, burst: 2) { .zero }
        func caller(_ number: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
        }
        for _ in 0..<3 { gate.failed(caller(0)) }
        for number in 1..<GuessGate.callersMaximum { gate.failed(caller(number)) }
        #expect(GuessGate.callersMaximum == 4096)
        #expect(!gate.isOpen(to: caller(0)))
        gate.failed(caller(GuessGate.callersMaximum))
        #expect(gate.isOpen(to: caller(0)))
    }

    @Test func onlyAProxyOnThisMachineSaysForWhomItAsks() throws {
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        let headers: HTTPFields = [name: "192.0.2.9"]
        let near = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let far = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        #expect(GuessGate.caller(of: headers, from: near) == [192, 0, 2, 9])
        #expect(GuessGate.caller(of: headers, from: far) == [192, 0, 2, 1])
        #expect(GuessGate.caller(of: [:], from: near) == [127, 0, 0, 1])
    }
}
