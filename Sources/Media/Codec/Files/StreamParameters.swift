/// The parameters of an H.264 stream that a muxer needs.
public struct VideoStreamParameters: Hashable, Sendable {
    public var width: Int
    public var height: Int
    public var frameRate: Int
    public var parameterSets: H264ParameterSets

    public init(width: Int, height: Int, frameRate: Int, parameterSets: H264ParameterSets) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.parameterSets = parameterSets
    }
}

/// The parameters of an AAC stream that a muxer needs.
public struct AudioStreamParameters: Hashable, Sendable {
    public var sampleRate: Int
    public var channels: Int
    public var bitrate: Int
    public var audioSpecificConfig: [UInt8]

    public init(sampleRate: Int, channels: Int, bitrate: Int, audioSpecificConfig: [UInt8]) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitrate = bitrate
        self.audioSpecificConfig = audioSpecificConfig
    }
}
