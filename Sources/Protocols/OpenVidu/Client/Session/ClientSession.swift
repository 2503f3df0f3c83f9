internal import MediaClient
internal import MediaKernel
internal import PeerConnection
internal import RemoteRoom
internal import SDP

/// A client's stay in a session: facts go in, orders come out. It has no socket, no media and no
/// clock.
///
/// Drain ``poll()`` after every call. The same value serves every socket of a stay: call
/// ``opened(at:)`` when one opens and ``closed(at:)`` when it closes.
struct ClientSession {
    /// How the server is told who we are.
    struct Entry: Hashable {
        let session: String
        /// The address that is our token.
        let token: String
        /// OpenVidu's secret, by which we are the hidden recorder; nil for one with a token.
        let secret: String?
        let metadata: String
    }

    enum Membership: Hashable {
        case outside, joining, returning, inside
    }

    /// A call that has no answer yet.
    struct Pending: Hashable {
        enum Purpose: Hashable {
            case ping, join, comeBack, other
            case prepare(StreamConnectionID)
            case receive(StreamConnectionID)
        }

        let purpose: Purpose
        let deadline: Instant
    }

    /// The socket.
    enum Link: Hashable {
        case down
        case up(nextPing: Instant, faults: Int)
    }

    let entry: Entry
    private(set) var secrets: ClientSecrets
    let receivesVideo: Bool
    var link = Link.down
    var membership = Membership.outside
    /// The secret by which `connect` comes back; nil outside.
    var rpcSession: String? {
        didSet { secrets = ClientSecrets(entry, rpcSession: rpcSession) }
    }
    var ownID = ""
    var hasJoined = false
    /// The server refuses us since somebody has our place: an earlier connection of ours, or of a
    /// recorder that died, which the server takes a while to give up.
    var isPlaceTaken = false
    /// Whether the server makes the offers.
    var serverOffers = false
    var pending: [Int64: Pending] = [:]
    var nextCall: Int64 = 0
    var roster = SessionRoster()
    var receptions = Receptions()
    /// There are streams for whose reception there was no place.
    var lacksPlaces = false
    var nextReception = 0
    var nextConnection = 0
    var toldPath: PeerConnectionState?
    private var orders = PollQueue<ClientOrder>()

    /// - Parameter receivesVideo: whether video is received at all.
    init(_ entry: Entry, receivesVideo: Bool) {
        self.entry = entry
        secrets = ClientSecrets(entry, rpcSession: nil)
        self.receivesVideo = receivesVideo
    }

    /// The next order, until nil.
    mutating func poll() -> ClientOrder? { orders.poll() }

    mutating func order(_ order: ClientOrder) { orders.append(order) }

    // MARK: The socket

    /// A socket is open, or about to be.
    mutating func opened(at now: Instant) {
        guard link == .down else { return }
        link = .up(nextPing: now + ClientLimits.pingInterval, faults: 0)
        pending = [:]
        let interval = Int64(ClientLimits.pingInterval / .milliseconds(1))
        call(.ping, ["interval": .integer(interval)], for: .ping, at: now)
        if let rpcSession {
            membership = .returning
            call(
                .connect, ["sessionId": .string(rpcSession), "reconnect": .bool(true)],
                for: .comeBack, at: now)
        } else {
            join(at: now)
        }
    }

    /// The socket has closed. Media go on.
    mutating func closed(at now: Instant) {
        guard link != .down else { return }
        link = .down
        pending = [:]
        membership = .outside
        for stream in receptions.names {
            switch receptions[stream]?.phase {
            // What the server made of it is unknown.
            case .asking, .confirming:
                receptions[stream]?.isSubscribed = true
                restart(stream, at: now, after: .zero)
            case .offering, .preparing, .answering: restart(stream, at: now, after: .zero)
            case .waiting, .open, nil: break
            }
        }
        tellPath()
    }

    /// The last frame for the socket, if there is one.
    mutating func leave() {
        // The server does what it was asked before, so that we are in when this arrives.
        guard link != .down, membership != .outside else { return }
        order(.send(OpenViduFrame.call(.leaveRoom, [:], id: .number(takeCall()))))
    }

    mutating func join(at now: Instant) {
        membership = .joining
        call(
            .joinRoom,
            [
                "token": .string(entry.token), "session": .string(entry.session),
                "platform": .string(ClientLimits.platform),
                "sdkVersion": .string(ClientLimits.version), "metadata": .string(entry.metadata),
                "secret": .string(entry.secret ?? ""), "recorder": .bool(entry.secret != nil),
                "stt": .bool(false),
            ], for: .join, at: now)
    }

    // MARK: Time

    mutating func handleTimeout(at now: Instant) {
        guard case .up(let nextPing, let faults) = link else { return }
        // In the order of the calls, so that equal sessions give equal orders.
        for (id, late) in pending.sorted(by: { $0.key < $1.key }) where late.deadline <= now {
            pending[id] = nil
            switch late.purpose {
            case .ping: return lost("the server does not answer a ping")
            case .join, .comeBack: return lost("the server does not answer the call to join")
            case .prepare(let connection):
                failed(connection, "the server does not answer", at: now)
            case .receive(let connection):
                if let stream = stream(on: connection) { receptions[stream]?.isSubscribed = true }
                failed(connection, "the server does not answer", at: now)
            case .other: break
            }
        }
        if nextPing <= now {
            link = .up(nextPing: now + ClientLimits.pingInterval, faults: faults)
            call(.ping, nil, for: .ping, at: now)
        }
        for reception in receptions.values {
            guard case .open(let since) = reception.phase, reception.isOpening,
                now - since >= ClientLimits.opening, let connection = reception.connection
            else { continue }
            failed(connection, "no media within \(ClientLimits.opening)", at: now)
        }
        receptions.findDue(at: now)
        beginReceptions(at: now)
        tellPath()
    }

    /// The socket is of no use.
    mutating func lost(_ reason: String) { order(.reconnect(.unreachable(reason))) }

    /// For how long another socket may help after one that ended like this; nil if it never does.
    func patience(after end: RoomEnd) -> Duration? {
        switch end {
        case .unreachable, .refused(code: OpenViduError.userExists, message: _):
            if isPlaceTaken { return ClientLimits.placePatience }
            // A client that never joined has nothing to come back to.
            return hasJoined ? ClientLimits.patience : nil
        default: return nil
        }
    }

    // MARK: Calls

    mutating func call(
        _ method: OpenViduMethod, _ parameters: [String: JSONValue]?, for purpose: Pending.Purpose,
        at now: Instant
    ) {
        let id = takeCall()
        let patience = purpose == .ping ? ClientLimits.pingAnswer : ClientLimits.answer
        pending[id] = Pending(purpose: purpose, deadline: now + patience)
        order(.send(OpenViduFrame.call(method, parameters, id: .number(id))))
    }

    private mutating func takeCall() -> Int64 {
        defer { nextCall += 1 }
        return nextCall
    }

    // MARK: Frames

    /// A frame arrived. An unusable part of it is told, and has no effect; what is no frame at all
    /// makes the socket useless.
    mutating func received(_ text: String, at now: Instant) {
        guard link != .down else { return }
        do throws(OpenViduError) {
            switch try ServerFrame(text) {
            case .answer(.number(let id), let answer):
                guard let call = pending.removeValue(forKey: id) else { return }
                answered(call.purpose, answer.mapError(shown), at: now)
            case .answer(.text, _): break
            case .notification(let name, let parameters):
                guard let notification = OpenViduNotification(rawValue: name) else { return }
                do throws(OpenViduError) {
                    try notified(notification, parameters, at: now)
                } catch {
                    throw OpenViduError(code: error.code, message: "\(name): \(error.message)")
                }
            }
        } catch {
            guard error == .malformed else {
                return note("the server's frame is not understood: \(error.message)")
            }
            guard hasJoined else {
                return order(.end(.protocolViolation(error.message)))
            }
            lost(error.message)
        }
        beginReceptions(at: now)
        tellPath()
    }

    private func shown(_ error: OpenViduError) -> OpenViduError {
        OpenViduError(code: error.code, message: secrets.hidden(in: error.message))
    }

    /// Warns of what the server sends, a few times for each socket.
    mutating func note(_ words: String) {
        guard case .up(let nextPing, let faults) = link, faults < ClientLimits.loggedFaults else {
            return
        }
        link = .up(nextPing: nextPing, faults: faults + 1)
        order(.warn(words))
    }

    // MARK: What the program is told

    mutating func tellRoster() {
        let receptions = receptions
        order(.roster(roster.peers { receptions[$0]?.isLeftOut ?? false }))
    }

    /// The state of the media as a whole: it is usable as long as one stream is received, or as
    /// there is none and the server is there.
    mutating func tellPath() {
        guard hasJoined else { return }
        let path: PeerConnectionState
        // A session whose streams are all left out is none without streams.
        if receptions.isEmpty {
            path = membership == .inside ? .connected : .disconnected
        } else if receptions.connected > 0 {
            path = .connected
        } else if receptions.undisturbed > 0 {
            // Some are being set up for the first time.
            return
        } else {
            path = .disconnected
        }
        guard path != toldPath else { return }
        toldPath = path
        order(.path(path))
    }
}
