import MediaKernel

/// How many streams there may be, and how many there are.
public struct StreamCapacity: Hashable, Sendable {
    /// The CPU as it is, where streams are refused for want of it.
    public struct Cores: Hashable, Sendable {
        /// On average.
        public var idle: Double
        /// Cores that must be idle for one stream to be started.
        public var perStream: Double
        /// Streams that were started so lately that the average does not show them.
        public var unseen: Int

        public init(idle: Double, perStream: Double, unseen: Int) {
            self.idle = idle
            self.perStream = perStream
            self.unseen = unseen
        }
    }

    /// Streams on air in all rooms, and those that are about to be.
    public var onAir: Int
    public var streamsMaximum: Int
    public var variantsPerRoomMaximum: Int
    /// Nil where nothing is known of them, or nothing is refused for want of them.
    public var cores: Cores?

    public init(onAir: Int, streamsMaximum: Int, variantsPerRoomMaximum: Int, cores: Cores? = nil) {
        self.onAir = onAir
        self.streamsMaximum = streamsMaximum
        self.variantsPerRoomMaximum = variantsPerRoomMaximum
        self.cores = cores
    }

    /// Why so many more streams would be too many; nil where they would not.
    public func refusal(ofNew count: Int) -> LiveStreamError? {
        guard count > 0 else { return nil }
        guard onAir + count <= streamsMaximum else {
            return .tooManyStreams(running: onAir, maximum: streamsMaximum)
        }
        guard let cores else { return nil }
        let needed = cores.perStream * Double(count + cores.unseen)
        return cores.idle < needed ? .insufficientCPU(idle: cores.idle, needed: needed) : nil
    }

    /// - Parameter others: live streams of the room; nil where their number does not matter.
    func refusal(ofNew count: Int, in room: RoomID, beside others: Int?) -> LiveStreamError? {
        if count > 0, let others, others + count > variantsPerRoomMaximum {
            return .tooManyVariants(room: room, maximum: variantsPerRoomMaximum)
        }
        return refusal(ofNew: count)
    }
}
