internal import Logging
internal import MediaKernel
internal import MediaServer
internal import RoomHost
internal import Rooms

/// The bridge's channel.
extension JitsiSessions {
    static let bridgeVersion = "2.3.roomcast"

    func heardOnBridge(_ text: String, from nick: String, in host: isolated RoomHost) async {
        guard let member = members[nick] else { return }
        if member.session?.isOnBridge == false { await greet(nick, isSocket: false, in: host) }
        let message: EndpointMessage
        do throws(JitsiFault) {
            message = try EndpointMessage(text)
        } catch {
            return host.log(.debug, "bridge message unread", member.peer, ["fault": "\(error)"])
        }
        switch message {
        case .hello:
            await say(BridgeWord.hello(version: Self.bridgeVersion), to: [member], in: host)
        case .constraints(let wishes):
            members[nick]?.wishes.take(wishes)
            await applyWishes(of: nick, in: host)
        case .text(let to, let content):
            let listeners = members.values.filter { other in
                other.nick != nick && (to.isEmpty || other.nick == to)
                    && other.session?.isActive == true
            }
            await say(
                BridgeWord.passed(content, from: nick), to: listeners, in: host)
        case .statistics(let content):
            guard members.count <= FocusLimits.statisticians else { break }
            let viewers = members.values.filter { other in
                other.nick != nick && other.session?.isActive == true && other.sees(nick)
            }
            await say(BridgeWord.passed(content, from: nick), to: viewers, in: host)
        case .other:
            break
        }
    }

    /// Tells a member whose channel has just opened who speaks, and what it is not sent.
    ///
    /// - Parameter isSocket: whether it is one by WebSocket. The videobridge welcomes those unasked.
    func greet(_ nick: String, isSocket: Bool, in host: isolated RoomHost) async {
        guard let member = members[nick] else { return }
        members[nick]?.session?.isOnBridge = true
        if isSocket {
            await say(BridgeWord.hello(version: Self.bridgeVersion), to: [member], in: host)
        }
        if !speakers.isEmpty {
            await say(BridgeWord.speaker(speakers, isSilence: isSilent), to: [member], in: host)
        }
        await applyWishes(of: nick, in: host)
    }

    /// By WebSocket to those who have one.
    private func say(
        _ text: String, to listeners: [FocusMember], in host: isolated RoomHost
    ) async {
        var others: [(PeerID, String)] = []
        for member in listeners {
            switch channels.send(text, to: member.nick, at: host.clock.now()) {
            case true?: break
            case false?: host.log(.warning, "bridge channel reads too slowly", member.peer)
            case nil: others.append((member.peer, text))
            }
        }
        guard !others.isEmpty else { return }
        await host.media.sendTexts(others)
    }

    /// Has the media send a member what it wants to see.
    func applyWishes(of nick: String, in host: isolated RoomHost) async {
        guard let member = members[nick], let session = member.session else { return }
        let wanted = member.wishes.layers(
            of: session.told.sorted { $0.key < $1.key }.map(\.value.source), speakers: speakers)
        // The media remember what was wanted in an earlier session.
        let unasked: LayerPreference? = member.sessionsMade > 1 ? nil : .high
        for (id, told) in session.told {
            guard let layer = wanted[told.source.name],
                session.layers[id] ?? unasked != layer
            else { continue }
            members[nick]?.session?.layers[id] = layer
            await host.media.setPreference(layer, track: id, of: member.peer)
        }
        if let forwarded = members[nick]?.forward(wanted) {
            await say(BridgeWord.forwarded(forwarded), to: [member], in: host)
        }
    }

    /// - Parameter loud: who is heard now, loudest first.
    func tellSpeakers(_ loud: [ActiveSpeaker], in host: isolated RoomHost) async {
        let loudest = loud.lazy.compactMap {
            self.nicks[$0.peer] ?? self.guests[$0.peer]?.nick
        }.first
        let isSilence = loudest == nil
        guard loudest.map({ $0 != speakers.first }) ?? false || isSilence != isSilent,
            !(isSilence && speakers.isEmpty)
        else { return }
        isSilent = isSilence
        if let loudest {
            speakers = [loudest] + speakers.filter { $0 != loudest }.prefix(FocusLimits.speakers)
        }
        let listeners = members.values.filter { $0.session?.isActive == true }
        await say(
            BridgeWord.speaker(speakers, isSilence: isSilence), to: listeners, in: host)
        // Who has spoken last is wanted first.
        for member in listeners where (member.wishes.lastN ?? -1) >= 0 {
            await applyWishes(of: member.nick, in: host)
        }
    }
}
