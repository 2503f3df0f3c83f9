import MediaKernel
import Streams

/// Pictures of streams on air, which programs show beside links to their watch pages. Anyone may ask
/// for them, so a stream's bot makes one a minute at most, however many do.
actor LivePictures {
    /// How long one is given out, here and by caches.
    static let lifetime: Duration = .seconds(60)
    /// How long none is asked for after one was not made.
    static let pauseAfterFailure: Duration = .seconds(10)
    /// A bot makes one within a second or two.
    static let looksMaximum = 15
    private static let lookInterval: Duration = .milliseconds(200)
    /// Of some 30 kB each.
    static let streamsMaximum = 200

    private struct Picture {
        /// Nil if none was made.
        var bytes: [UInt8]?
        var until: UnixTime
    }

    private let control: any LiveStreamControl
    private let files: StreamFiles
    private let clock: @Sendable () -> UnixTime
    private let pause: @Sendable () async -> Void
    private var pictures: [StreamID: Picture] = [:]
    private var making: [StreamID: Task<[UInt8]?, Never>] = [:]

    /// - Parameter pause: waits until the next look for a picture.
    init(
        control: any LiveStreamControl, files: StreamFiles,
        clock: @escaping @Sendable () -> UnixTime,
        pause: @escaping @Sendable () async -> Void = {
            try? await Task.sleep(for: LivePictures.lookInterval)
        }
    ) {
        self.control = control
        self.files = files
        self.clock = clock
        self.pause = pause
    }

    /// Whether all may see it. What a signed address shows is for those who have the address.
    static func shows(_ stream: LiveStream) -> Bool {
        stream.kind == .stream && stream.status == .running && !stream.plan.audio.only
            && !stream.playback.isSigned
    }

    /// A JPEG of what the stream shows; nil if there is none now.
    func picture(of stream: LiveStream) async -> [UInt8]? {
        guard Self.shows(stream) else { return nil }
        if let known = pictures[stream.id], clock() < known.until { return known.bytes }
        if let task = making[stream.id] { return await task.value }
        let task = Task { await make(of: stream) }
        making[stream.id] = task
        return await task.value
    }

    private func make(of stream: LiveStream) async -> [UInt8]? {
        await control.previewWanted(of: stream.id)
        let bytes = await wait(for: stream)
        let now = clock()
        making[stream.id] = nil
        pictures = pictures.filter { now < $0.value.until }
        if pictures.count < Self.streamsMaximum {
            pictures[stream.id] = Picture(
                bytes: bytes, until: now + (bytes == nil ? Self.pauseAfterFailure : Self.lifetime))
        }
        return bytes
    }

    private func wait(for stream: LiveStream) async -> [UInt8]? {
        for look in 1...Self.looksMaximum {
            let content = try? await files.content(of: StreamPreview.fileName, beside: stream)
            if let content, clock() - content.modified <= StreamPreview.ageMaximum {
                return content.bytes
            }
            if look < Self.looksMaximum { await pause() }
        }
        return nil
    }
}
