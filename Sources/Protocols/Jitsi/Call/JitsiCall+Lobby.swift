internal import MediaKernel
internal import RemoteRoom
internal import XML
internal import XMPP

/// What admits us to the room: its password, or somebody who lets us in from its lobby.
struct CallDoor: Hashable {
    /// The room where we wait, or have waited, for somebody in the room proper to decide.
    struct Lobby: Hashable {
        let room: JID
        /// Until when somebody has to let us in, whatever becomes of the stream meanwhile.
        let deadline: Instant
    }

    static let unheard = RoomEnd.closed(
        code: 407, message: "nobody has let the recorder in from the lobby")

    var password: String?
    var lobby: Lobby?
}

/// The room's lobby: a room of its own, in which those wait whom no list admits. The server names it
/// in its refusal, and tells us of nobody else there. Whoever admits us sends an invitation; whoever
/// does not throws us out. Jitsi's `mod_muc_lobby_rooms`.
extension JitsiCall {
    /// - Parameter attempts: to enter the room, that were made.
    mutating func knock(at lobby: JID, attempts: Int, at now: Instant) {
        if door.lobby == nil { note("waiting in the lobby until somebody lets the recorder in") }
        let deadline = door.lobby?.deadline ?? now + CallLimits.lobby
        door.lobby = CallDoor.Lobby(room: lobby, deadline: deadline)
        phase = .knocking(attempts: attempts)
        let shown = XMLElement("nick", JitsiNamespaces.nick, text: entry.name)
        guard let stanza = RoomPresence.present(in: lobby, nick: nick, entering: true, [shown])
        else { return end(CallDoor.unheard) }
        order(.send(stanza))
    }

    mutating func leaveLobby() {
        guard let lobby = door.lobby else { return }
        door.lobby = nil
        if let stanza = RoomPresence.leaving(lobby.room, nick: nick) { order(.send(stanza)) }
    }

    /// Only what concerns ourselves matters.
    mutating func appearedInLobby(_ presence: RoomPresence, at now: Instant) {
        guard case .knocking(let attempts) = phase, presence.nick == nick else { return }
        switch presence.change {
        case .present, .renamed: break
        case .kicked: end(.closed(code: 403, message: "the recorder was not let in from the lobby"))
        // It names the room where there is no lobby any more.
        case .destroyed(let alternate?) where alternate.bare == entry.room:
            door.lobby = nil
            enter(attempts: 0, at: now)
        case .destroyed: end(.roomEnded(reason: "the room was destroyed"))
        // A lobby that is gone, which nobody but the server may make.
        case .refused(let error) where error.condition == "not-allowed":
            door.lobby = nil
            guard attempts < CallLimits.entryAttempts else { return end(CallDoor.unheard) }
            enter(attempts: attempts, at: now)
        case .refused(let error):
            end(.closed(code: 407, message: "the room's lobby: \(shown(error.description))"))
        // The server goes down; what follows is the stream's end.
        case .removed(status: 332): break
        case .left, .removed: end(CallDoor.unheard)
        }
    }

    mutating func invited(_ invitation: RoomInvitation, at now: Instant) {
        guard case .knocking = phase else { return }
        door.password = invitation.password ?? door.password
        enter(attempts: 0, at: now)
    }
}
