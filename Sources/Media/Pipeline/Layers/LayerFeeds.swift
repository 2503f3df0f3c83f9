import Codec
import MediaKernel

/// The layers as the director feeds them: their inboxes, and what each has been given.
struct LayerFeeds {
    let writers: [any VariantWriter]
    private let frameRate: Int
    private let emit: @Sendable (PipelineEvent) -> Void
    private var dropped: [Int]
    /// The newest picture that each layer has been given.
    private var newestGiven: [Int64]

    init(
        _ writers: [any VariantWriter], frameRate: Int,
        emit: @escaping @Sendable (PipelineEvent) -> Void
    ) {
        self.writers = writers
        self.frameRate = frameRate
        self.emit = emit
        dropped = Array(repeating: 0, count: writers.count)
        newestGiven = Array(repeating: -1, count: writers.count)
    }

    /// Pictures that no layer shows, for all layers.
    var droppedInAll: Int {
        dropped.reduce(0, +) + writers.reduce(0) { $0 + $1.picturesLeftOut }
    }

    /// The lag of the slowest layer.
    ///
    /// - Parameter tick: when the frame that is being made was due.
    func backlog(at now: Instant, since tick: Instant) -> Duration {
        var frames: Int64 = 0
        for (index, writer) in writers.enumerated() {
            frames = max(frames, newestGiven[index] - writer.newestTaken)
        }
        let encoders = Duration.seconds(1) * Int(frames) / frameRate
        return max(now - tick, encoders)
    }

    /// The layers that get the picture of a frame. The others drop it.
    ///
    /// - Parameter isNeeded: all layers must have it, since a segment or part begins with it.
    mutating func takers(
        ofFrame frame: Int64, isNeeded: Bool, lateness: Duration, _ reduction: Reduction
    ) -> [Int] {
        if isNeeded { return Array(writers.indices) }
        var takers = writers.indices.filter {
            reduction.makes(frame: frame, layer: $0, of: writers.count)
        }
        if lateness >= Director.latenessMaximum {
            // Too late to use: left out, so that the stream catches up.
            for index in takers { report(layer: index, dropped: dropped[index] + 1) }
            takers = []
        }
        for index in writers.indices where !takers.contains(index) { dropped[index] += 1 }
        return takers
    }

    /// Passes on what a frame completes.
    ///
    /// - Parameters:
    ///   - sound: of each layer.
    ///   - picture: nil if no layer gets one.
    ///   - isNeeded: a segment or part begins with it. All layers must be cut there, so it is worth
    ///     waiting for.
    mutating func give(
        _ sound: [[EncodedPacket]], _ picture: (canvas: VideoFrame, takers: [Int])?,
        frame: Int64, isNeeded: Bool
    ) {
        for index in writers.indices {
            let inbox = writers[index].inbox
            // Both at once: a layer's thread would wake twice if the sound went ahead while the
            // picture is made, and waking it costs more than its work on the sound.
            var items: [LayerItem] = []
            if !sound[index].isEmpty { items.append(.sound(sound[index])) }
            let isTaker = picture?.takers.contains(index) ?? false
            let hasPlace = isNeeded || inbox.count + items.count < LayerEncoder.picturesBelow
            if let picture, isTaker, hasPlace {
                items.append(.picture(picture.canvas, index: frame))
            }
            let isTaken = !items.isEmpty && inbox.put(items)
            guard isTaker else { continue }
            if hasPlace, isTaken { newestGiven[index] = frame } else { leaveOut(layer: index) }
        }
    }

    /// All layers go on with frame `next` after `end`.
    mutating func skip(from end: Int64, to next: Int64) {
        for index in writers.indices {
            writers[index].inbox.put(.gap(end: end, next: next))
            dropped[index] += Int(next - end)
        }
    }

    func give(_ packets: [EncodedPacket], toLayer index: Int) {
        writers[index].inbox.put(.sound(packets))
    }

    func finish(end: Int64) { for writer in writers { writer.inbox.put(.finish(end: end)) } }

    /// The encoder is behind: drops the picture and reports it.
    private mutating func leaveOut(layer index: Int) {
        dropped[index] += 1
        report(layer: index, dropped: dropped[index])
    }

    private func report(layer index: Int, dropped: Int) {
        if dropped == 1 || dropped.isMultiple(of: frameRate) {
            emit(.framesDropped(layer: index, total: dropped))
        }
    }
}
