import ArgumentParser
import ClientConnections
import Jibri
import Jitsi
import MediaKernel
import Streams
import XMPP
import XMPPClient

extension JitsiAddress {
    /// - Parameter token: a ``JitsiCredential`` as text.
    init(_ conference: JitsiConference, token: String) throws {
        guard let credential = JitsiCredential(token) else {
            throw ValidationError(
                #"a conference's token is like {"account":{"user":"…","password":"…"}}"#)
        }
        guard let room = JID(conference.room), let roomName = room.local,
            let focus = JID(conference.focus)
        else {
            throw ValidationError(
                "\(conference.room) and \(conference.focus) are not a room and a focus")
        }
        guard let server = JitsiServer(conference.server).flatMap({ Endpoint($0, room: roomName) })
        else {
            throw ValidationError("\(conference.server) is no XMPP server")
        }
        self.init(
            server: server, trust: ServerTrust(conference), domain: conference.domain,
            credentials: credential.account.map {
                Credentials.account(user: $0.user, password: $0.password)
            } ?? .anonymous, room: room, focus: focus, password: credential.roomPassword,
            hiddenDomain: conference.hiddenDomain, isJibri: conference.isJibri)
        plaintext =
            switch conference.encryption {
            case .required: .refused
            case .beyondLoopback: .onLoopback
            case .optional: .accepted
            }
        requests = try conference.requests.map { text in
            guard let address = WebAddress(text) else {
                throw ValidationError("\(text) takes no conference requests")
            }
            return address
        }
        name = conference.name
        timeouts = conference.patience.map { CallTimeouts($0) }
        recording = conference.recording.map {
            RecordingPresence(session: $0.session, mode: $0.mode, viewURL: $0.viewURL)
        }
    }
}

extension CallTimeouts {
    fileprivate init(_ patience: JitsiConference.Patience) {
        self.init()
        noMedia = .milliseconds(patience.noMedia)
        allMuted = .milliseconds(patience.allMuted)
        empty = .milliseconds(patience.empty)
        connection = .milliseconds(patience.connection)
    }
}

extension ServerTrust {
    fileprivate init(_ conference: JitsiConference) {
        if conference.certificates == JitsiConference.anyCertificate {
            self = .anyone
        } else {
            self = conference.authorities.map { .authorities(file: $0) } ?? .machine
        }
    }
}

extension Endpoint {
    /// - Parameter room: by which a deployment of several servers finds the one of that conference.
    fileprivate init?(_ server: JitsiServer, room: String) {
        switch server {
        case .tcp(let host, let port): self = .tcp(host: host, port: Int(port))
        case .webSocket(let text):
            guard let url = WebSocketURL(text, adding: [("room", room)]) else { return nil }
            self = .webSocket(url)
        }
    }
}
