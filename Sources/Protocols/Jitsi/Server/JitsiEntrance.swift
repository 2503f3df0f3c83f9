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

    // MARK: The bridge's channels by WebSocket

    /// Whether that is the address of a member's present session.
    func admits(_ address: BridgeAddress) async -> Bool {
        await inside { sessions, _ in sessions.channels.admits(address) } ?? false
    }

    /// A member opens its channel.
    ///
    /// - Returns: nil if the address is not, or no longer, that of its session.
    func open(
        _ address: BridgeAddress, over socket: any SignallingSocket
    ) async -> BridgeEntrance? {
        let number = await inside { sessions, host -> Int? in
            let nick = address.endpoint
            let number = sessions.channels.open(address, over: socket)
            if number != nil { await sessions.greet(nick, isSocket: true, in: host) }
            return number
        }
        guard let number = number ?? nil else { return nil }
        return BridgeEntrance(entrance: self, nick: address.endpoint, number: number)
    }

    func heard(_ text: String, from nick: String, on channel: Int) async {
        await inside { sessions, host in
            let now = host.clock.now()
            guard sessions.channels.hears(text, from: nick, on: channel, at: now) else { return }
            await sessions.heardOnBridge(text, from: nick, in: host)
            await host.settle()
        }
    }

    func closed(_ channel: Int, of nick: String) async {
        await inside { sessions, _ in sessions.channels.closed(channel, of: nick) }
    }

    // MARK: The XMPP server

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
