internal import MediaKernel
internal import XML
internal import XMPP

/// What a member of the room shows in its presence. Everybody in the room writes their own: nothing
/// in it is known to be true.
struct Member: Hashable {
    /// Its nick, which is the id of its endpoint at the bridge.
    let id: String
    /// The real address, which the room shows.
    let address: JID?
    /// As XEP-0045 has it: `moderator` or `participant`.
    let role: String
    var name = ""
    var email: String?
    var avatar: String?
    /// Who it is for the deployment, which lets in members with tokens; nil without.
    var identity: MemberIdentity?
    /// Nil for older apps, which show other elements: their sources have no names.
    var sourceInfo: SourceInfo?
    /// What could not be read.
    var fault: JitsiFault?
    var isAudioMuted = false
    var isVideoMuted = false
    var showsScreen = false
    /// Whether it says that it is a recorder.
    var isJibri = false
    /// Whether it says that it carries somebody who calls by telephone.
    var isJigasi = false
    /// The video codecs that it would send, its favourite first, in small letters.
    var codecs: [String] = []
    /// Its media are encrypted from end to end: only members who were given its key can decode them.
    var isEncrypted = false

    init(_ presence: RoomPresence, _ stanza: XMLElement) {
        id = presence.nick
        address = presence.address
        role = presence.role ?? ""
        for element in stanza.elements { read(element) }
    }

    private mutating func read(_ element: XMLElement) {
        switch element.name {
        case "nick": name = Self.text(element)
        case "email": email = Self.text(element)
        case "avatar-url": avatar = Self.text(element)
        case "identity": identity = MemberIdentity(element)
        case "SourceInfo":
            do throws(JitsiFault) {
                sourceInfo = try SourceInfo(element.text, owner: id)
            } catch {
                fault = error
            }
        case "audiomuted": isAudioMuted = element.text == "true"
        case "videomuted": isVideoMuted = element.text == "true"
        case "videoType": showsScreen = element.text == "desktop"
        case "jitsi_participant_codecList", "codecType", "jitsi_participant_codecType":
            codecs = Self.text(element).lowercased().split(separator: ",").prefix(8)
                .map { String($0.filter { !$0.isWhitespace }) }
        case "features":
            for feature in element.elements.prefix(JitsiLimits.features) {
                isJibri = isJibri || feature["var"] == JitsiFeatures.jibri
                isJigasi = isJigasi || feature["var"] == JitsiFeatures.jigasi
            }
        case "jitsi_participant_e2ee.enabled": isEncrypted = element.text == "true"
        default: break
        }
    }

    /// Cut, since it is only shown.
    static func text(_ element: XMLElement) -> String {
        let text = element.text
        guard text.utf8.count > JitsiLimits.textBytes else { return text }
        return String(text.unicodeScalars.prefix(JitsiLimits.textBytes / 4))
    }

    /// Whether clients show it the tools of a moderator.
    var isModerator: Bool { role == "moderator" }

    /// Whether it is a recorder or a transcriber, which clients do not show.
    ///
    /// - Parameter domain: the domain of their accounts. Where it is not known, what a member says of
    ///   itself has to be believed.
    func isHidden(in domain: String?) -> Bool {
        domain.map { address?.domain == $0 } ?? isJibri
    }

    /// Whether a source is muted. A member that shows sources at all shows all that are not.
    func isMuted(_ source: SourceName) -> Bool {
        guard let sourceInfo else { return source.isVideo ? isVideoMuted : isAudioMuted }
        return sourceInfo.states[source]?.isMuted ?? true
    }

    /// Nil where it does not say.
    func isScreen(_ source: SourceName) -> Bool? {
        guard source.isVideo else { return nil }
        return sourceInfo == nil ? showsScreen : sourceInfo?.states[source]?.isScreen
    }

    /// Whether a presence is that of the focus, whatever its nick is: members choose theirs.
    ///
    /// - Parameter focus: its address, as it has told it.
    static func isFocus(_ presence: RoomPresence, _ focus: JID?) -> Bool {
        guard let focus, let address = presence.address else { return false }
        return address.bare == focus.bare
    }
}
