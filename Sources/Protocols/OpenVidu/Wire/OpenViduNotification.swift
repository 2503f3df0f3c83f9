/// What a server tells its clients without being asked.
enum OpenViduNotification: String, CaseIterable {
    case participantJoined, participantLeft, participantEvicted
    case participantPublished, participantUnpublished
    case streamPropertyChanged, connectionPropertyChanged
    case iceCandidate, sendMessage
    case recordingStarted, recordingStopped
    case mediaError
    /// A server of the kind that offers replaces a connection.
    case forciblyReconnectSubscriber
    case roomClosed
}
