import MediaKernel
import MediaServer
import RoomHost
import Rooms
import Testing
import XML

@testable import Jitsi

/// The bridge's channel by WebSocket.
@Suite(.timeLimit(.minutes(2))) struct MemberChannelTests {
    private static let greeting =
        #"{"colibriClass":"EndpointMessage","to":"","msgPayload":{"n":1}}"#

    @Test func anInvitationSaysWhereItIs() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let (ann, ben) = (try world.channel(of: "ann"), try world.channel(of: "ben"))
        #expect(ann.password.utf8.count >= 24 && ann.password != ben.password)
        #expect(
            ann.url(at: "http://127.0.0.1:8080")
                == "ws://127.0.0.1:8080/colibri-ws/default-id/r/ann?pwd=\(ann.password)")
        // Clients that read our own transports, too.
        let transport = try #require(world.jingle(to: "ann")?.elements.first?.elements.last)
        #expect(try JingleTransport(transport).sockets == [ann.url(at: "https://live.example")])
    }

    @Test func onlyTheMemberMayOpenIt() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let (ann, ben) = (try world.channel(of: "ann"), try world.channel(of: "ben"))
        #expect(await world.entrance.admits(ann))
        for (endpoint, password) in [
            ("ann", ben.password), ("ann", ""), ("ann", String(ann.password.dropLast())),
            ("ann", ann.password + "0"), ("cid", ann.password),
        ] {
            let wrong = BridgeAddress(conference: "r", endpoint: endpoint, password: password)
            #expect(await !world.entrance.admits(wrong))
            #expect(await world.entrance.open(wrong, over: NotedSocket()) == nil)
        }
        try await world.go("ann")
        #expect(await !world.entrance.admits(ann))
    }

    @Test func itIsOneChannelWithThatOfOthersOverSCTP() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let ben = try #require(await world.peer(named: "ben")).id
        let (place, socket) = try await world.open("ann")
        await place.received(Self.greeting)
        #expect(world.media.noted.texts.map(\.peer) == [ben])
        #expect(world.media.noted.texts.first?.text.contains(#""from":"ann""#) == true)
        await world.hear(.dataText(ben, .named("jitsi-1"), Self.greeting))
        await place.received(#"{"colibriClass":"ClientHello"}"#)
        await place.received("nonsense")
        let kinds = ["ServerHello", "EndpointMessage", "ServerHello"]
        try #require(await socket.waits { $0.texts.count == kinds.count })
        #expect(zip(socket.texts, kinds).allSatisfy { $0.contains("\"\($1)\"") })
        #expect(socket.texts[1].contains(#""from":"ben""#))
        // Without the socket it is told over SCTP.
        await place.closed()
        await world.hear(.dataText(ben, .named("jitsi-1"), Self.greeting))
        #expect(world.media.noted.texts.count == 2)
    }

    @Test func whoOpensItIsToldWhoSpeaks() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let ben = try #require(await world.peer(named: "ben")).id
        await world.hear(.activeSpeakers([ActiveSpeaker(peer: ben, track: "ben-a0", level: 80)]))
        let (place, socket) = try await world.open("ann")
        await place.received(#"{"colibriClass":"EndpointStats"}"#)
        await world.hear(.activeSpeakers([]))
        try #require(await socket.waits { $0.texts.count == 3 })
        #expect(socket.texts[1].contains(#""dominantSpeakerEndpoint":"ben""#))
        #expect(socket.texts[2].contains(#""silence":true"#))
    }

    @Test func aNewerOneTakesItsPlace() async throws {
        let world = try await FocusWorld.meeting("ann", "ben")
        let (old, oldSocket) = try await world.open("ann")
        let (new, socket) = try await world.open("ann")
        #expect(await oldSocket.waits { $0.code == CloseCode.normal })
        // What the old one still says, and its end, are nobody's.
        await old.received(Self.greeting)
        await old.closed()
        #expect(world.media.noted.texts.isEmpty)
        await new.received(Self.greeting)
        #expect(world.media.noted.texts.count == 1)
        #expect(socket.code == nil)
    }

    @Test func itEndsWithItsSession() async throws {
        let world = try await FocusWorld.meeting("ann", "ben", "cid", "dan")
        var sockets: [NotedSocket] = []
        for nick in ["ann", "ben", "cid", "dan"] {
            sockets.append(try await world.open(nick).socket)
        }
        let former = try world.channel(of: "ann")
        let bridge = XMLElement(
            "bridge-session", "http://jitsi.org/protocol/focus",
            ["id": world.jingle(to: "ann")?["sid"], "restart": "true"])
        await world.ask("ann", world.jingle("session-terminate", of: "ann", [bridge]))
        #expect(try world.channel(of: "ann") != former)
        #expect(await !world.entrance.admits(former))
        try await world.go("ben")
        try await world.host.remove(try #require(await world.peer(named: "cid")).id)
        for socket in sockets.prefix(3) {
            #expect(await socket.waits { $0.code == CloseCode.goingAway })
        }
        #expect(sockets[3].code == nil)
        await world.host.endAll(reason: "the end")
        #expect(await sockets[3].waits { $0.code == CloseCode.goingAway })
    }

    @Test func itTakesAndKeepsNoMoreThanItsLimits() async throws {
        let world = try await FocusWorld.meeting("ann", "ben", "cid")
        let (long, longSocket) = try await world.open("ann")
        await long.received(String(repeating: " ", count: JitsiLimits.bridgeBytes + 1))
        #expect(await longSocket.waits { $0.code == CloseCode.messageTooBig })

        let (quick, quickSocket) = try await world.open("ben")
        for _ in 0..<FocusLimits.textsBurst { await quick.received("{}") }
        #expect(quickSocket.code == nil)
        await quick.received("{}")
        #expect(await quickSocket.waits { $0.code == CloseCode.policyViolation })
        // Another socket has no other allowance; later it may speak again.
        let (next, nextSocket) = try await world.open("ben")
        await next.received("{}")
        #expect(await nextSocket.waits { $0.code == CloseCode.policyViolation })
        await world.pass(.seconds(1))
        let (last, lastSocket) = try await world.open("ben")
        await last.received("{}")
        #expect(lastSocket.code == nil)

        // One that has stopped reading is closed all the same.
        let (_, stuckSocket) = try await world.open("cid", over: NotedSocket(isStuck: true))
        let (_, slowSocket) = try await world.open("cid", over: NotedSocket(isStuck: true))
        #expect(await stuckSocket.waits { $0.code == CloseCode.normal })
        let ben = try #require(await world.peer(named: "ben")).id
        for _ in 0...FocusLimits.channelFrames + 1 {
            await world.hear(.dataText(ben, .named("jitsi-1"), Self.greeting))
        }
        #expect(await slowSocket.waits { $0.code == CloseCode.tryAgainLater })
        #expect(slowSocket.texts.isEmpty)
    }
}
