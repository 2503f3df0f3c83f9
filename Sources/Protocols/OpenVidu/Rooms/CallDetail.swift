public import MediaKernel

/// Something that application servers are told of a session: an event of OpenVidu's call detail
/// record.
public struct CallDetail: Hashable, Sendable {
    public enum Event: String, Hashable, Sendable, CaseIterable {
        case sessionCreated, sessionDestroyed
        case participantJoined, participantLeft
        case webrtcConnectionCreated, webrtcConnectionDestroyed
        case recordingStatusChanged
        case signalSent
    }

    public let event: Event
    public let room: RoomID
    /// The name of the session, which no other one of the room has; nil if it is not known when it
    /// began.
    public let session: String?
    public let time: UnixTime
    /// Of the body, besides those that all events have.
    public let members: [String: JSONValue]

    /// - Parameters:
    ///   - session: when the session began; nil if that is not known.
    ///   - start: of what this event ends, in milliseconds; nil for another event.
    ///   - reason: of an end.
    public init(
        _ event: Event, in room: RoomID, since session: UnixTime?, at time: UnixTime,
        start: Int64? = nil, reason: String? = nil, _ members: [String: JSONValue] = [:]
    ) {
        self.event = event
        self.room = room
        self.time = time
        var members = members
        self.session = session.map { "\(room)_\($0.milliseconds)" }
        if let name = self.session { members["uniqueSessionId"] = .string(name) }
        if let start {
            members["startTime"] = .integer(start)
            members["duration"] =
                members["duration"] ?? .integer(max(0, time.milliseconds - start) / 1000)
        }
        if let reason { members["reason"] = .string(reason) }
        self.members = members
    }

    /// In OpenVidu's form.
    public var body: JSONValue {
        .object(
            members.merging([
                "event": .string(event.rawValue), "sessionId": .string(room.rawValue),
                "timestamp": .integer(time.milliseconds),
            ]) { $1 })
    }
}

/// A stream that was published, and the tracks that it consists of.
public struct PublishedStream: Hashable, Sendable {
    public let id: String
    public let connection: String
    public let clientData: String
    public let serverData: String
    /// `CAMERA`, `SCREEN`; nil without pictures.
    public let video: String?
    public let tracks: [TrackID]
    /// Whether the publisher may be recorded.
    public let isRecorded: Bool
}

/// Gets what happens in the rooms. Must not wait.
public protocol OpenViduObserver: Sendable {
    /// Whether it does anything with such an event; others need not be told.
    func wants(_ event: CallDetail.Event) -> Bool
    func happened(_ detail: CallDetail)
    func published(_ stream: PublishedStream, in room: RoomID)
}
