import Rooms

/// How rooms are recorded, as in the `recordings` of 100ms' newer templates.
struct RecordingConfiguration: Decodable {
    struct Composite: Decodable {
        var browserComposite: Browser?
        var customComposite: Custom?
    }

    struct Browser: Decodable {
        var autoStart: Bool?
        var autoStopTimeout: Int?
        var width: Int?
        var height: Int?
    }

    /// A recording of each room.
    struct Custom: Decodable {
        var enabled: Bool?
    }

    /// A file for each track.
    struct Tracks: Decodable {
        var enabled: Bool?
    }

    var name: String
    /// Whose tracks are recorded; missing or empty for everyone's.
    var role: String?
    var maxDuration: Int?
    var thumbnails: ThumbnailOptions?
    var compositeRecording: Composite?
    var trackRecording: Tracks?
    /// A file for each peer. Its size is the sender's, whatever the template says.
    var streamRecording: Tracks?

    /// Both kinds of composites are the same here: a recording without a live stream.
    var destination: RecordingDestination {
        let browser = compositeRecording?.browserComposite
        var destination = RecordingDestination(
            name: name, width: browser?.width, height: browser?.height)
        destination.maxDuration = maxDuration
        destination.autoStopTimeout = browser?.autoStopTimeout
        destination.thumbnails = thumbnails
        let isComposed =
            browser?.autoStart == true || compositeRecording?.customComposite?.enabled == true
        destination.autoStart = isComposed
        let isPerPeer = streamRecording?.enabled == true
        if trackRecording?.enabled == true || isPerPeer {
            // As in 100ms, tracks are recorded without being asked for.
            destination.autoStart = true
            destination.tracks = TrackOptions(
                roles: role.flatMap { $0.isEmpty ? nil : [$0] },
                perPeer: isPerPeer ? true : nil, composite: isComposed)
        }
        return destination
    }
}
