import MediaKernel

/// The limits on streams, and their present number.
public struct StreamCapacity: Hashable, Sendable {
    /// The state of the CPU, if streams are refused for lack of it.
    public struct Cores: Hashable, Sendable {
        /// On average.
        public var idle: Double
        /// Cores that must be idle for one stream to be started.
        public var perStream: Double
        /// The number of streams started so recently that the average does not include them.
        public var unseen: Int

        public init(idle: Double, perStream: Double, unseen: Int) {
            self.idle = idle
            self.perStream = perStream
            self.unseen = unseen
        }
    }

    /// Streams on air in all rooms, and those about to be.
    public var onAir: Int
    public var streamsMaximum: Int
    public var variantsPerRoomMaximum: Int
    /// Nil if the idle cores are unknown, or streams are not refused for lack of them.
    public var cores: Cores?

    public init(onAir: Int, streamsMaximum: Int, variantsPerRoomMaximum: Int, cores: Cores? = nil) {
        self.onAir = onAir
        self.streamsMaximum = streamsMaximum
        self.variantsPerRoomMaximum = variantsPerRoomMaximum
        self.cores = cores
    }

    /// Why this many more streams would be too many; nil if they would not.
    public func refusal(ofNew count: Int) -> LiveStreamError? {
        guard count > 0 else { return nil }
        guard onAir + count <= streamsMaximum else {
            return .tooManyStreams(running: onAir, maximum: streamsMaximum)
        }
        guard let cores else { return nil }
        let needed = cores.perStream * Double(count + cores.unseen)
        return cores.idle < needed ? .insufficientCPU(idle: cores.idle, needed: needed) : nil
    }

    /// - Parameter others: the number of the room's live streams; nil if it does not matter.
    func refusal(ofNew count: Int, in room: RoomID, beside others: Int?) -> LiveStreamError? {
        if count > 0, let others, others + count > variantsPerRoomMaximum {
            return .tooManyVariants(room: room, maximum: variantsPerRoomMaximum)
        }
        return refusal(ofNew: count)
    }
}
