import Digests
import Jibri
import MediaKernel
import Streams
import XMPP

/// What a bot is to join for a call.
struct CallPlan: Hashable, Sendable {
    /// Of the name in a room's id, in bytes. The rest tells apart rooms of the same name.
    private static let nameBytesMaximum = 40
    private static let hashBytes = 8

    /// What the stream belongs to here: the same for each call of a meeting.
    let room: RoomID
    let variant: LiveStreamVariant

    /// - Parameter watchPages: below which people watch the rooms of this server.
    init(
        _ call: JibriCall, _ timeouts: CallTimeouts, watchPages: String
    ) throws(RecordingFailure) {
        let environment = call.environment
        room = Self.room(of: call)
        var recording = JitsiConference.Recording(session: call.session, mode: "file")
        if case .stream(let stream) = call.start.output {
            recording.mode = "stream"
            recording.viewURL = stream.viewURL ?? "\(watchPages)/\(room)"
        }
        let login = environment.call.domain
        let conference = JitsiConference(
            server: call.host.description,
            certificates: environment.isTrusting ? JitsiConference.anyCertificate : nil,
            encryption: environment.security == .required ? .required : .optional, domain: login,
            user: environment.call.user, room: call.start.room.description,
            focus: "focus.\(environment.domain)",
            hiddenDomain: login, isJibri: true, recording: recording,
            patience: JitsiConference.Patience(timeouts))
        // A meeting's address may be below a path, which no source has.
        let pages = [call.meeting.url, "https://\(environment.domain)/\(call.meeting.name)"]
        let source = pages.map { JitsiSource.scheme + $0 }
            .first { JitsiSource(meetingURL: $0) != nil }
        guard let source else { throw .notJoined }
        variant = LiveStreamVariant(
            meetingURL: source, metadata: call.session, conference: conference)
    }

    private static func room(of call: JibriCall) -> RoomID {
        let address = call.start.room.description
        let name = (call.start.room.local ?? "").utf8.prefix(nameBytesMaximum)
            .map { $0.isWord ? $0 : UInt8(ascii: "_") }
        let hash = Digest.sha256.hash(Array(address.utf8)).prefix(hashBytes)
        return RoomID("\(String(decoding: name, as: UTF8.self))-\(Hexadecimal.text(hash))")
    }
}

extension JitsiConference.Patience {
    fileprivate init(_ timeouts: CallTimeouts) {
        self.init(
            noMedia: timeouts.noMedia.milliseconds, allMuted: timeouts.allMuted.milliseconds,
            empty: timeouts.empty.milliseconds, connection: timeouts.connection.milliseconds)
    }
}

extension JibriEnvironment {
    /// Jibri takes any certificate where TLS is not to be used at all.
    var isTrusting: Bool { trustsAllCertificates || security == .disabled }
}
