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

    /// The room for browsers, each of which shows one page of the web.
    public struct Pages: Hashable, Sendable {
        /// A browser with a page of 720p that moves: measured (docs/CUSTOM-VIEW.md).
        public static let coresEach = 0.7
        /// What the same browser and its bot have taken at most, in bytes.
        public static let memoryEach = 740_000_000

        public var onAir: Int
        public var maximum: Int
        /// The memory that processes can still get, in bytes; nil if unknown.
        public var memoryAvailable: Int?
        /// Whether the machine has the program, which may be removed while the server runs.
        public var hasBrowser: Bool

        public init(
            onAir: Int = 0, maximum: Int = .max, memoryAvailable: Int? = nil,
            hasBrowser: Bool = true
        ) {
            self.onAir = onAir
            self.maximum = maximum
            self.memoryAvailable = memoryAvailable
            self.hasBrowser = hasBrowser
        }
    }

    /// Streams on air in all rooms, and those about to be.
    public var onAir: Int
    public var streamsMaximum: Int
    public var variantsPerRoomMaximum: Int
    /// Nil if the idle cores are unknown, or streams are not refused for lack of them.
    public var cores: Cores?
    public var pages = Pages()

    public init(onAir: Int, streamsMaximum: Int, variantsPerRoomMaximum: Int, cores: Cores? = nil) {
        self.onAir = onAir
        self.streamsMaximum = streamsMaximum
        self.variantsPerRoomMaximum = variantsPerRoomMaximum
        self.cores = cores
    }

    /// Why this many more streams would be too many; nil if they would not.
    ///
    /// - Parameter pages: how many of them show a page of the web.
    public func refusal(ofNew count: Int, pages new: Int = 0) -> LiveStreamError? {
        guard count > 0 else { return nil }
        guard onAir + count <= streamsMaximum else {
            return .tooManyStreams(running: onAir, maximum: streamsMaximum)
        }
        if new > 0 {
            guard pages.hasBrowser else { return .noBrowser }
            guard pages.onAir + new <= pages.maximum else {
                return .tooManyPages(running: pages.onAir, maximum: pages.maximum)
            }
            let needed = new * Pages.memoryEach
            if let available = pages.memoryAvailable, available < needed {
                return .insufficientMemory(available: available, needed: needed)
            }
        }
        guard let cores else { return nil }
        let needed =
            cores.perStream * Double(count + cores.unseen) + Pages.coresEach * Double(new)
        return cores.idle < needed ? .insufficientCPU(idle: cores.idle, needed: needed) : nil
    }

    /// - Parameter others: the number of the room's live streams; nil if it does not matter.
    func refusal(
        ofNew count: Int, pages: Int, in room: RoomID, beside others: Int?
    ) -> LiveStreamError? {
        if count > 0, let others, others + count > variantsPerRoomMaximum {
            return .tooManyVariants(room: room, maximum: variantsPerRoomMaximum)
        }
        return refusal(ofNew: count, pages: pages)
    }
}
