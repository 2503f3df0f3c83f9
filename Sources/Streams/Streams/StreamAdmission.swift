public import MediaKernel
public import Stage

/// The response to a start request: one answer for each variant, or a refusal of all. A pure
/// decision: no disk, clock or actor.
public struct StreamAdmission: Sendable {
    /// A stream of the room on air, of the requested kind.
    public struct Running: Sendable {
        public var stream: LiveStream
        /// The full name, even if the request left it out.
        public var destination: String
        /// A stop was requested: the stream still counts, but answers no start requests.
        public var isStopping: Bool

        public init(_ stream: LiveStream, destination: String, isStopping: Bool) {
            self.stream = stream
            self.destination = destination
            self.isStopping = isStopping
        }
    }

    /// The answer for one variant.
    public enum Answer: Hashable, Sendable {
        /// The variant is already on air.
        case running(LiveStream)
        /// A new stream with this plan is to begin.
        case begin(StreamPlan)
    }

    /// In the order of the request's variants.
    public let answers: [Answer]
    /// Possible mistakes in the request.
    public let warnings: [String]

    /// The number of streams to begin.
    public var begun: Int {
        answers.count { if case .begin = $0 { true } else { false } }
    }

    /// Of the streams to begin.
    public var layouts: [Layout] {
        answers.compactMap { if case .begin(let plan) = $0 { plan.layout } else { nil } }
    }

    /// - Parameters:
    ///   - request: with the recordings already completed by the destination.
    ///   - destination: the full name of the request's destination.
    ///   - running: oldest first.
    ///   - plan: makes the plan for one variant of the request.
    /// - Throws: `runsOtherwise`, `tooManyVariants`, `tooManyStreams`, `noBrowser`, `tooManyPages`,
    ///   `insufficientMemory`, `insufficientCPU`, and what the plan throws.
    public init(
        of request: LiveStreamRequest, in room: RoomID, destination: String, running: [Running],
        scene: StreamScene, capacity: StreamCapacity,
        plan: (LiveStreamVariant) throws(LiveStreamError) -> StreamPlan
    ) throws(LiveStreamError) {
        let going = running.filter { !$0.isStopping }
        let rivals = going.filter { $0.destination == destination }.map(\.stream)
        let found = request.variants.map { variant -> LiveStream? in
            switch request.kind {
            // One recording at a time, whatever the request asks for.
            case .recording: going.first?.stream
            case .stream: rivals.first { $0.plan.variant.metadata == variant.metadata }
            }
        }
        for case let stream? in found {
            if let lack = request.lack(of: stream) { throw .runsOtherwise(stream.id, lack) }
        }
        let new = found.count { $0 == nil }
        let pages = zip(request.variants, found).count { $0.isPage && $1 == nil }
        if let refusal = capacity.refusal(
            ofNew: new, pages: pages, in: room,
            beside: request.kind == .stream ? running.count : nil)
        {
            throw refusal
        }
        var answers: [Answer] = []
        for (variant, stream) in zip(request.variants, found) {
            if let stream {
                answers.append(.running(stream))
            } else {
                answers.append(.begin(try plan(variant)))
            }
        }
        self.answers = answers
        let answered = Set(found.compactMap { $0?.id })
        // Only one stream is usual.
        let others = going.filter { !answered.contains($0.stream.id) }
        warnings =
            scene.warnings(
                of: request, room: room, destination: destination, others: others, new: new)
            + found.compactMap { $0 }.flatMap { StreamScene.ignored(request, of: $0) }
    }
}
