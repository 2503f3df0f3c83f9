public import MediaKernel

/// Whether a start is taken, and what it comes to: one answer for each variant of the request, or a
/// refusal of all of them. It knows no disk, no clock and no actor.
public struct StreamAdmission: Sendable {
    /// A stream of the room on air, of the kind that is asked for.
    public struct Running: Sendable {
        public var stream: LiveStream
        /// By its whole name, also where its request left it out.
        public var destination: String
        /// Its end was asked for: it takes place, and answers no start any more.
        public var isStopping: Bool

        public init(_ stream: LiveStream, destination: String, isStopping: Bool) {
            self.stream = stream
            self.destination = destination
            self.isStopping = isStopping
        }
    }

    /// What becomes of a variant.
    public enum Answer: Hashable, Sendable {
        /// It is on air already.
        case running(LiveStream)
        /// A stream by this plan is to begin.
        case begin(StreamPlan)
    }

    /// In the order of the request's variants.
    public let answers: [Answer]
    /// What whoever asked may not have meant.
    public let warnings: [String]

    /// How many streams are to begin.
    public var begun: Int {
        answers.count { if case .begin = $0 { true } else { false } }
    }

    /// - Parameters:
    ///   - request: its recording is the one that is wanted, of whoever said so.
    ///   - destination: the request's, by its whole name.
    ///   - running: oldest first.
    ///   - plan: what one variant of the request comes to.
    /// - Throws: `runsOtherwise`, `tooManyVariants`, `tooManyStreams`, `insufficientCPU`, and what
    ///   the plan throws.
    public init(
        of request: LiveStreamRequest, in room: RoomID, destination: String, running: [Running],
        scene: StreamScene, capacity: StreamCapacity,
        plan: (LiveStreamVariant) throws(LiveStreamError) -> StreamPlan
    ) throws(LiveStreamError) {
        let going = running.filter { !$0.isStopping }
        let rivals = going.filter { $0.destination == destination }.map(\.stream)
        let found = request.variants.map { variant -> LiveStream? in
            switch request.kind {
            // One at a time, whatever is asked for.
            case .recording: going.first?.stream
            case .stream: rivals.first { $0.plan.variant.metadata == variant.metadata }
            }
        }
        for case let stream? in found {
            if let lack = request.lack(of: stream) { throw .runsOtherwise(stream.id, lack) }
        }
        let new = found.count { $0 == nil }
        if let refusal = capacity.refusal(
            ofNew: new, in: room, beside: request.kind == .stream ? running.count : nil)
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
        // Destinations are for several at a time.
        let others = rivals.filter { !answered.contains($0.id) }
        warnings =
            scene.warnings(of: request, room: room, others: others, new: new)
            + found.compactMap { $0 }.flatMap { StreamScene.ignored(request, of: $0) }
    }
}
