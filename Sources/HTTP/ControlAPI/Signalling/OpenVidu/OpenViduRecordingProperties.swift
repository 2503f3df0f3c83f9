public import MediaKernel

/// What a recording is to be like, in OpenVidu's words.
public struct OpenViduRecordingProperties: Hashable, Sendable {
    public enum OutputMode: String, Hashable, Sendable, CaseIterable {
        case composed = "COMPOSED"
        case individual = "INDIVIDUAL"
        /// Here all recordings start quickly.
        case composedQuickStart = "COMPOSED_QUICK_START"
    }

    /// Empty for the recording's id.
    public var name = ""
    public var hasAudio = true
    public var hasVideo = true
    public var outputMode = OutputMode.composed
    public var recordingLayout = "BEST_FIT"
    /// The address of a page, of the layout `CUSTOM`.
    public var customLayout = ""
    /// In pixels.
    public var width = 1280
    public var height = 720
    public var frameRate = 25
    private var shmSize = 536_870_912
    private var ignoreFailedStreams = false

    public static let layouts = [
        "BEST_FIT", "PICTURE_IN_PICTURE", "VERTICAL_PRESENTATION", "HORIZONTAL_PRESENTATION",
        "CUSTOM",
    ]
    static let nameBytes = 128
    static let sides = 100...1999
    static let frameRates = 1...120
    static let shmBytesMinimum = 134_217_728

    public init() {}

    public var isComposed: Bool { outputMode != .individual }

    /// - Parameters:
    ///   - body: an object with OpenVidu's fields.
    ///   - standard: for the fields that it lacks.
    /// - Throws: 400 for a wrong type or word, 422 for values that no recording can have.
    public init(
        _ body: OpenViduBody, completedBy standard: OpenViduRecordingProperties = .init()
    ) throws(APIError) {
        self = standard
        if let name = try body.text("name", maximum: Self.nameBytes), !name.isEmpty {
            guard name.utf8.allSatisfy(Self.isOfName) else {
                throw .badRequest(
                    "Parameter 'name' is wrong. Must be an alphanumeric string [a-zA-Z0-9_-~]+")
            }
            self.name = name
        }
        hasAudio = try body.flag("hasAudio") ?? hasAudio
        hasVideo = try body.flag("hasVideo") ?? hasVideo
        let modes = OutputMode.allCases.map(\.rawValue)
        if let mode = try body.word("outputMode", of: modes) {
            outputMode = OutputMode(rawValue: mode) ?? outputMode
            // As OpenVidu does.
            if isComposed, standard.outputMode == .composedQuickStart {
                outputMode = .composedQuickStart
            }
        }
        recordingLayout =
            try body.word("recordingLayout", of: Self.layouts) ?? recordingLayout
        customLayout =
            try body.text("customLayout", maximum: Limits.meetingURLBytes) ?? customLayout
        ignoreFailedStreams = try body.flag("ignoreFailedStreams") ?? ignoreFailedStreams
        frameRate = try body.integer("frameRate") ?? frameRate
        shmSize = try body.integer("shmSize") ?? shmSize
        if isComposed, let text = try body.text("resolution") {
            let sides = text.split(separator: "x", omittingEmptySubsequences: false)
                .compactMap { Int($0) }
            guard sides.count == 2, text == "\(sides[0])x\(sides[1])",
                sides.allSatisfy(Self.sides.contains)
            else {
                throw .unprocessable(
                    "Wrong 'resolution' parameter. Acceptable values from 100 to 1999 for both "
                        + "width and height")
            }
            (width, height) = (sides[0], sides[1])
        }
        try checkKinds()
        guard isComposed else { return }
        guard Self.frameRates.contains(frameRate) else {
            throw .unprocessable(
                "Wrong 'frameRate' parameter. Acceptable values are within range [1,120]")
        }
        guard shmSize >= Self.shmBytesMinimum else {
            throw .unprocessable(
                "Wrong 'shmSize' parameter. Must be 134217728 (128 MB) minimum")
        }
    }

    private func checkKinds() throws(APIError) {
        guard hasAudio || hasVideo else {
            throw .unprocessable(
                "Cannot start a recording with both \"hasAudio\" and \"hasVideo\" set to false")
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x7E: true
        default: false
        }
    }

    /// What a session shows as its default.
    public var json: JSONValue {
        var members = shown
        if isComposed, hasVideo { members["shmSize"] = .integer(Int64(shmSize)) }
        if !isComposed { members["ignoreFailedStreams"] = .bool(ignoreFailedStreams) }
        return .object(members)
    }

    /// What a recording shows.
    public var shown: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "name": .string(name), "hasAudio": .bool(hasAudio), "hasVideo": .bool(hasVideo),
            "outputMode": .string(outputMode.rawValue),
        ]
        guard isComposed, hasVideo else { return members }
        members["recordingLayout"] = .string(recordingLayout)
        members["resolution"] = .string("\(width)x\(height)")
        members["frameRate"] = .integer(Int64(frameRate))
        if recordingLayout == "CUSTOM" { members["customLayout"] = .string(customLayout) }
        return members
    }
}
