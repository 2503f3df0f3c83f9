import Rooms
import Streams

/// The fields of templates. 100ms' templates have more fields than are used here, and may get
/// others: fields that resemble none of these are kept and shown.
enum TemplateFields {
    static let template = fields(
        ["name", "default", "roles", "settings", "destinations", "recordings", "plugins"],
        [
            "roles": .named(role), "settings": .object(settings),
            "destinations": .object(destinations), "recordings": .array(recording),
        ],
        // The other fields of a response, which may be changed and sent back.
        passed: ["id", "_id", "customer", "customerId", "createdAt", "updatedAt"])

    static let role = fields(
        [
            "name", "priority", "isHidden", "publishParams", "subscribeParams", "permissions",
            "maxPeerCount",
        ],
        [
            "publishParams": .object(publishing), "subscribeParams": .object(subscribing),
            "permissions": .object(
                fields([
                    "endRoom", "removeOthers", "mute", "unmute", "changeRole", "hlsStreaming",
                    "rtmpStreaming", "browserRecording", "sendRoomState", "pollRead", "pollWrite",
                    "broadcast",
                ])),
        ])

    private static let publishing = fields(
        ["allowed", "audio", "video", "screen", "simulcast"],
        [
            "audio": .object(fields(["bitRate", "codec"])), "video": .object(video),
            "screen": .object(video),
            "simulcast": .object(
                fields(
                    ["video", "screen"],
                    ["video": .object(simulcast), "screen": .object(simulcast)])),
        ])

    private static let video = fields(["bitRate", "codec", "frameRate", "width", "height"])

    private static let simulcast = fields(
        ["layers"],
        ["layers": .array(fields(["rid", "scaleResolutionDownBy", "maxBitrate", "maxFramerate"]))])

    private static let subscribing = fields(
        ["subscribeToRoles", "maxSubsBitRate", "subscribeDegradation"],
        [
            "subscribeDegradation": .object(
                fields([
                    "packetLossThreshold", "degradeGracePeriodSeconds",
                    "recoverGracePeriodSeconds",
                ]))
        ])

    static let settings = fields(
        ["region", "recording", "roomState"],
        [
            "recording": .object(fields(["enabled", "upload"])),
            "roomState": .object(
                fields(["enabled", "sendPeerList", "messageInterval", "stopRoomStateOnJoin"])),
        ], passed: ["retry"])

    static let destinations = fields(
        ["hlsDestinations", "browserRecordings"],
        ["hlsDestinations": .named(live), "browserRecordings": .named(browser)],
        passed: ["rtmpDestinations", "transcriptions"])

    private static let live = fields(
        [
            "name", "maxDuration", "layers", "videoFrameRate", "playlistType",
            "numPlaylistSegments", "autoStopTimeout", "idleTimeout", "autoStart", "recording",
            "layout", "signedPlaybackSeconds", "container", "captions", "lowLatency",
        ],
        [
            "layers": .array(layer), "captions": .object(StreamCaptions.fields),
            "layout": .object(.layout),
            "recording": .object(
                fields(
                    ["hlsVod", "singleFilePerLayer", "layers", "thumbnails", "tracks"],
                    [
                        "layers": .array(layer), "thumbnails": .object(thumbnails),
                        "tracks": .object(TrackOptions.fields),
                    ],
                    passed: ["enableZipUpload", "presignDuration"])),
        ], passed: ["enableMetadataInsertion", "enableStaticUrl"])

    private static let layer = fields(["width", "height", "videoBitrate", "audioBitrate"])

    private static let browser = fields(
        [
            "name", "width", "height", "maxDuration", "autoStopTimeout", "idleTimeout", "autoStart",
            "preset", "keptSeconds", "thumbnails", "layout", "tracks",
        ],
        [
            "thumbnails": .object(thumbnails), "tracks": .object(TrackOptions.fields),
            "layout": .object(.layout),
        ], passed: ["presignDuration", "role"])

    /// Also of a start request.
    static let thumbnails = fields(["enabled", "width", "height", "offsets", "fps"])

    static let recording = fields(
        [
            "name", "role", "maxDuration", "presignDuration", "thumbnails", "compositeRecording",
            "trackRecording", "streamRecording",
        ],
        [
            "thumbnails": .object(thumbnails),
            "compositeRecording": .object(
                fields(
                    ["browserComposite", "customComposite"],
                    [
                        "browserComposite": .object(
                            fields(["enabled", "autoStart", "autoStopTimeout", "width", "height"])),
                        "customComposite": .object(fields(["enabled"])),
                    ])),
            "trackRecording": .object(fields(["enabled"])),
            "streamRecording": .object(fields(["enabled", "width", "height"])),
        ])

    private static func fields(
        _ names: [String], _ contents: [String: BodyFields.Content] = [:], passed: [String] = []
    ) -> BodyFields {
        BodyFields(names, contents, passed: passed, others: .kept)
    }
}
