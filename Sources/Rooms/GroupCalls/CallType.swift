/// What a group call is for: how many may take part in it, and with what.
public enum CallType: String, Hashable, Sendable, CaseIterable, Codable {
    case smallRoomForVideo = "small_room_for_video"
    case largeRoomForAudioOnly = "large_room_for_audio_only"

    /// Participants at once. Hidden peers do not count.
    public var participantsMaximum: Int {
        switch self {
        case .smallRoomForVideo: 6
        case .largeRoomForAudioOnly: 100
        }
    }

    /// Whether participants may publish pictures: of cameras or of screens.
    public var takesPictures: Bool {
        switch self {
        case .smallRoomForVideo: true
        case .largeRoomForAudioOnly: false
        }
    }

    /// How long a participant whose connection was lost keeps its place, and its client tries to
    /// come back.
    public static let reconnection: Duration = .seconds(40)
}
