import ClientConnections
import Foundation
import NIOCore
import XML
import XMPP
import XMPPClient

/// One client, and its loop of connections.
struct ProbeClient: Sendable {
    private let name: String
    private let client: XMPPClient
    private let reading: AsyncStream<Void>.Continuation

    init(_ name: String, _ server: ProbeServer, _ group: any EventLoopGroup) throws {
        let endpoint: Endpoint
        if let text = server.url {
            guard let url = WebSocketURL(text, adding: []) else { throw ProbeFault() }
            endpoint = .webSocket(url)
        } else {
            endpoint = .tcp(host: server.host ?? "127.0.0.1", port: server.port ?? 5222)
        }
        let trust: ServerTrust =
            switch server.authorities {
            case nil: .machine
            case "": .anyone
            case let file?: .authorities(file: file)
            }
        let client = XMPPClient(
            Self.settings(server), at: endpoint, tls: try TLSClient(trust), on: group.next())
        let (gate, reading) = AsyncStream.makeStream(of: Void.self)
        if server.isDeaf != true { reading.yield() }
        (self.name, self.client, self.reading) = (name, client, reading)
        let events = client.events
        Task {
            for await _ in gate { break }
            for await event in events { Self.tell(name, event) }
            report(name, "over")
        }
        let pause = server.pause.map { Duration.seconds($0) }
        Task {
            while true {
                let end = await client.run()
                report(
                    name, "end",
                    [
                        "case": caseName(end), "text": "\(end)",
                        "mayPass": String(end.mayPass),
                    ])
                guard let pause, end.mayPass else { return }
                try await Task.sleep(for: pause)
            }
        }
    }

    private static func settings(_ server: ProbeServer) -> ClientSettings {
        var settings = ClientSettings(
            domain: server.domain,
            credentials: server.user.map { .account(user: $0, password: server.password ?? "") }
                ?? .anonymous,
            capabilities: Capabilities(
                node: "https://roomcast.test/probe",
                identity: .init(category: "client", type: "bot", name: "Probe"),
                features: server.features ?? []))
        settings.answered = Set(server.answered ?? [])
        settings.resumes = server.resumes ?? true
        settings.plaintext =
            switch server.plaintext {
            case "refused": .refused
            case "accepted": .accepted
            default: .onLoopback
            }
        settings.times.phase = server.phase.map { .seconds($0) } ?? settings.times.phase
        settings.times.silence = server.silence.map { .seconds($0) } ?? settings.times.silence
        settings.times.pingAnswer =
            server.pingAnswer.map { .seconds($0) } ?? settings.times.pingAnswer
        return settings
    }

    func obey(_ order: ProbeOrder) async {
        do {
            let elements = try (order.xml ?? []).map { try XMLStreamReader.element($0) }
            let room = order.room.flatMap { JID($0) }
            switch (order.order, room) {
            case ("connect", _): break
            case ("read", _): reading.yield()
            case ("quit", _): client.leave()
            case ("send", _):
                for element in elements { try await client.send(element) }
                report(name, "sent")
            case ("ask", _): ask(order, elements[0])
            case ("enter", let room?):
                try await client.enter(
                    room, nick: order.nick ?? "", password: order.password, showing: elements)
            case ("show", let room?): try await client.show(elements, in: room)
            case ("leave", let room?): try await client.leave(room, showing: elements)
            default: throw ProbeFault()
            }
        } catch {
            report(name, "fault", ["order": order.order, "text": "\(error)"])
        }
    }

    private func ask(_ order: ProbeOrder, _ payload: XMLElement) {
        Task { [name, client] in
            do throws(RequestFailure) {
                let answer = try await client.ask(
                    Request.Kind(rawValue: order.kind ?? "get") ?? .get, payload,
                    to: order.to.flatMap { JID($0) }, within: .seconds(order.timeout ?? 15))
                report(name, "answer", ["id": order.id, "xml": answer?.xml() ?? ""])
            } catch {
                report(name, "failure", ["id": order.id, "text": "\(error)"])
            }
        }
    }

    private static func tell(_ client: String, _ event: ClientEvent) {
        switch event {
        case .online(let address, let isResumed):
            report(
                client, "online",
                ["address": address.description, "resumed": String(isResumed)])
        case .request(let request):
            report(
                client, "request",
                [
                    "id": request.id, "from": request.from?.description,
                    "kind": request.kind.rawValue, "xml": request.payload.xml(),
                ])
        case .stanza(let stanza): report(client, "stanza", ["xml": stanza.xml()])
        case .room(let room, let event): tell(client, room, event)
        }
    }

    private static func tell(_ client: String, _ room: JID, _ event: RoomEvent) {
        var fields: [String: String?] = ["room": room.description, "case": caseName(event)]
        switch event {
        case .entered(let nick): fields["nick"] = nick
        case .occupant(let presence):
            fields["nick"] = presence.nick
            fields["change"] = caseName(presence.change)
            fields["address"] = presence.address?.description
            fields["own"] = String(presence.isOwn)
        case .message(let message):
            fields["nick"] = message.nick
            fields["body"] = message.body
            fields["subject"] = message.subject
        case .refused(let error): fields["text"] = "\(error)"
        case .ended(let ending):
            fields["ending"] = caseName(ending)
            fields["text"] = "\(ending)"
        }
        report(client, "room", fields)
    }
}
