import Rooms

/// How rooms are recorded, as in the `recordings` of 100ms' newer templates. Recordings of single
/// peers (`trackRecording`, `streamRecording`) are not supported.
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

    var name: String
    var maxDuration: Int?
    var thumbnails: ThumbnailOptions?
    var compositeRecording: Composite?

    /// Both kinds of composites are the same here: a recording without a live stream.
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
