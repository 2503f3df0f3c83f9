public import MediaKernel
public import Rooms
public import Streams

/// The body of a request to start a recording without a live stream. All fields are optional.
struct RecordingStartBody: RequestBody {
    static let fields = BodyFields(
        CodingKeys.self,
        [
            .resolution: .object(BodyFields(["width", "height"])),
            .layout: .object(.layout),
            .thumbnails: .object(TemplateFields.thumbnails),
            .tracks: .object(TrackOptions.fields),
        ], passed: ["transcription"])

    var meetingURL: String?
    var resolution: LiveStreamRequest.Resolution?
    var destination: String?
    var audioOnly: Bool?
    var layout: JSONValue?
    var thumbnails: ThumbnailOptions?
    var outputs: [String]?
    var tracks: TrackOptions?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case meetingURL = "meeting_url"
        case resolution, destination
        case audioOnly = "audio_only"
        case layout, thumbnails, tracks
        case outputs = "rtmp_urls"
    }

    /// - Throws: a 400 that names the field.
    func checked(
        room: RoomID, authorities: Set<String>
    ) throws(APIError) -> LiveStreamRequest {
        var request = try LiveStreamRequest(
            checkingRecordingOf: meetingURL, resolution: resolution,
            isSoundAlone: audioOnly ?? false, thumbnails: thumbnails,
            tracks: tracks, destination: destination ?? "", layout: layout, room: room,
            authorities: authorities)
        request.outputs = try PushTarget.checked(outputs)
        return request
    }
}

extension LiveStreamRequest {
    /// Checks a request for a recording without a live stream, from any source.
    ///
    /// - Parameter authorities: `host[:port]` by which a meeting URL means this server.
    /// - Throws: a 400 that names the field.
    public init(
        checkingRecordingOf meetingURL: String?, resolution: Resolution? = nil,
        isSoundAlone: Bool = false, thumbnails: ThumbnailOptions? = nil,
        tracks: TrackOptions? = nil, destination: String = "", layout: JSONValue? = nil,
        room: RoomID, authorities: Set<String>
    ) throws(APIError) {
        if let resolution {
            guard !isSoundAlone else {
                throw .badRequest("resolution is not valid", "audio_only has no picture")
            }
            try Self.check(resolution)
        }
        let isTracksAlone = tracks?.enabled == true && tracks?.composite == false
        guard tracks?.composite != false || isTracksAlone, !isTracksAlone || resolution == nil
        else {
            throw .badRequest(
                "tracks are not valid",
                isTracksAlone
                    ? "without the picture there is no resolution" : "nothing would be recorded")
        }
        try self.init(
            checking: [(meetingURL, nil)],
            recording: RecordingOptions(
                hlsVOD: false, singleFilePerLayer: !isTracksAlone, thumbnails: thumbnails,
                tracks: tracks),
            destination: destination, audio: LiveStreamAudio(only: isSoundAlone),
            layout: layout, room: room, authorities: authorities)
        kind = .recording
        self.resolution = resolution
    }

    /// 100ms' limits, and the encoder's.
    private static func check(_ size: Resolution) throws(APIError) {
        let isPortrait = size.height > size.width
        let widths = isPortrait ? 500...1080 : 500...1920
        let heights = isPortrait ? 500...1920 : 480...1080
        guard widths.contains(size.width), heights.contains(size.height) else {
            throw .badRequest(
                "resolution is not valid",
                "500x480 to 1920x1080, or 500x500 to 1080x1920, not \(size.width)x\(size.height)")
        }
        guard size.width.isMultiple(of: 2), size.height.isMultiple(of: 2) else {
            throw .badRequest(
                "resolution is not valid",
                "width and height must be even, not \(size.width)x\(size.height)")
        }
    }
}
