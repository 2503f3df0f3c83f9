internal import RoomHost
internal import XML
internal import XMPP

/// Jitsi's protocol in one room.
struct JitsiEntrance: Sendable {
    let host: RoomHost

    /// Has the focus enter the XMPP room, unless it is there.
    func open(_ room: JID) async { await inside { $0.open(room, in: $1) } }

    /// Handles one stanza from that room before it returns.
    func received(_ stanza: XMLElement) async { await inside { await $0.received(stanza, in: $1) } }

    /// A client does not say what it can do.
    func inviteSilent(_ nick: String) async { await inside { await $0.inviteSilent(nick, in: $1) } }

    /// Starts or stops a recording, and answers whoever has asked for it.
    func carryOut(_ errand: RecordingErrand) async {
        await inside { await $0.carryOut(errand, in: $1) }
    }

    /// The XMPP server is there again.
    ///
    /// - Returns: whether there is a conference.
    func comeBack() async -> Bool {
        await inside { sessions, _ in sessions.comeBack() } ?? false
    }

    /// Whether there is a conference.
    func isOpen() async -> Bool { await inside { sessions, _ in sessions.place != nil } ?? false }

    @discardableResult
    private func inside<Result: Sendable>(
        _ work: @Sendable (JitsiSessions, isolated RoomHost) async -> Result
    ) async -> Result? {
        await host.inside(JitsiSessions.self, work)
    }
}
