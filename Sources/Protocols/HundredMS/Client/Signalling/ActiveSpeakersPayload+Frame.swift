internal import MediaKernel

extension ActiveSpeakersPayload {
    /// Nil for any other frame of the channel.
    public init?(frame text: String) {
        guard let frame = try? IncomingFrame(text, limits: .own),
            frame.head.method == DataChannelMethod.activeSpeakers.rawValue,
            let payload = try? frame.parameters(Self.self)
        else { return nil }
        self = payload
    }
}
