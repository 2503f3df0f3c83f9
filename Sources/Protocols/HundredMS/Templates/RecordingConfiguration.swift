import Rooms

/// How rooms are recorded, as 100ms' newer templates write it: `recordings`. What is made of each
/// peer by itself (`trackRecording`, `streamRecording`) is not to be had here.
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

    /// One that is made of each room.
    struct Custom: Decodable {
        var enabled: Bool?
    }

    var name: String
    var maxDuration: Int?
    var thumbnails: ThumbnailWish?
    var compositeRecording: Composite?

    /// Both kinds of composites are one here: a recording without a live stream.
    var destination: RecordingDestination {
        let browser = compositeRecording?.browserComposite
        var destination = RecordingDestination(
            name: name, width: browser?.width, height: browser?.height)
        destination.maxDuration = maxDuration
        destination.autoStopTimeout = browser?.autoStopTimeout
        destination.thumbnails = thumbnails
        destination.autoStart =
            browser?.autoStart == true || compositeRecording?.customComposite?.enabled == true
        return destination
    }
}
