internal import MediaKernel
internal import Rooms

/// Another value of a stream's property, with the reason as clients know it.
struct PropertyChange: Hashable {
    let connection: String
    let stream: String
    let name: String
    /// As the protocol writes it.
    let value: String
    let reason: String

    /// Its audio or its video was muted or unmuted.
    init(isActive: Bool, _ kind: TrackKind, of stream: String, _ connection: String) {
        self.connection = connection
        self.stream = stream
        value = "\(isActive)"
        switch kind {
        case .audio: (name, reason) = ("audioActive", "publishAudio")
        case .video: (name, reason) = ("videoActive", "publishVideo")
        }
    }

    /// - Parameters:
    ///   - dimensions: a JSON object, as text.
    ///   - reason: as the publisher says.
    init(dimensions: String, reason: String, of stream: String, _ connection: String) {
        self.connection = connection
        self.stream = stream
        name = "videoDimensions"
        // Clients parse this value twice.
        value = OpaqueJSON(string: dimensions).text
        self.reason = reason
    }

    var json: [String: JSONValue] {
        [
            "connectionId": .string(connection), "streamId": .string(stream),
            "property": .string(name), "newValue": .string(value), "reason": .string(reason),
        ]
    }
}
