import MediaKernel
import NIOCore
import NIOHTTP1
import NIOPosix
import RemoteRoom
import Testing

@testable import HundredMS

@Suite struct InitCallTests {
    /// The outcome of a call with this answer, and the request that the server received.
    private func call(
        _ status: HTTPResponseStatus, _ body: String, path: String = "", peer: PeerID = "p"
    ) async throws -> (outcome: Result<String, RoomEnd>, asked: [HTTPRequestHead]) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await StubServer.start(on: group, status: status, body: body)
        let outcome: Result<String, RoomEnd>
        do throws(RoomEnd) {
            outcome = .success(
                try await InitCall.run(
                    endpoint: server.endpoint + path, token: "t.o.k", peer: peer))
        } catch {
            outcome = .failure(error)
        }
        try await server.stop()
        try await group.shutdownGracefully()
        return (outcome, server.requests)
    }

    @Test func theEndpointIsReadFromTheReply() async throws {
        let reply = #"{"endpoint":"wss://rooms.example/ws","rtcConfiguration":{}}"#
        let (outcome, asked) = try await call(.ok, reply)
        #expect(outcome == .success("wss://rooms.example/ws"))
        #expect(asked.map(\.uri) == ["/init?peer_id=p"])
        #expect(asked.map(\.method) == [.GET])
        #expect(asked.first?.headers["Authorization"] == ["Bearer t.o.k"])
    }

    @Test func onlyTheOriginOfTheEndpointCounts() async throws {
        let (_, asked) = try await call(
            .ok, #"{"endpoint":"ws://h"}"#, path: "/rooms/x?y=1#z", peer: "a b&c=d+e")
        #expect(asked.map(\.uri) == ["/init?peer_id=a%20b%26c%3Dd%2Be"])
    }

    @Test(arguments: [UInt(400), 401, 403, 404])
    func aRefusalIsToldInTheServersWords(status: UInt) async throws {
        let body = #"{"code":\#(status),"message":"room is not here","details":[]}"#
        let (outcome, _) = try await call(.init(statusCode: Int(status)), body)
        #expect(outcome == .failure(.refused(code: Int(status), message: "room is not here")))
    }

    @Test func aRefusalWithoutWordsIsOneToo() async throws {
        let (outcome, _) = try await call(.forbidden, "<html>")
        #expect(outcome == .failure(.refused(code: 403, message: "no reason given")))
    }

    @Test(arguments: [429, 500, 503])
    func whatMayPassIsWorthAnotherTry(status: Int) async throws {
        let (outcome, _) = try await call(.init(statusCode: status), #"{"code":1,"message":"m"}"#)
        #expect(outcome == .failure(.unreachable("status \(status)")))
    }

    @Test(arguments: ["", "{}", "[]", #"{"endpoint":7}"#])
    func aReplyWithoutAnEndpointIsAViolation(body: String) async throws {
        let (outcome, _) = try await call(.ok, body)
        #expect(outcome == .failure(.protocolViolation("the init reply names no endpoint")))
    }

    @Test func aReplyWithoutEndIsCutOff() async throws {
        let body = String(repeating: " ", count: InitCall.bodyBytesMaximum + 1)
        let (outcome, _) = try await call(.ok, body)
        guard case .failure(.unreachable) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func nobodyThereIsUnreachable() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await StubServer.start(on: group, status: .ok, body: "")
        let endpoint = server.endpoint
        try await server.stop()
        let error = await #expect(throws: RoomEnd.self) {
            try await InitCall.run(
                endpoint: endpoint, token: "t", peer: "p", timeout: .milliseconds(200))
        }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await group.shutdownGracefully()
    }

    @Test(arguments: ["", "h", "ftp://h", "ws://h", "http:", "http://"])
    func whatIsNoOriginIsRefusedBeforeAnythingIsSent(endpoint: String) async {
        await #expect(throws: RoomEnd.badEndpoint(endpoint)) {
            try await InitCall.run(endpoint: endpoint, token: "t", peer: "p")
        }
    }
}
