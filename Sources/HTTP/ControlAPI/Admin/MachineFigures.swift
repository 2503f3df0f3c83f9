public import MediaKernel

/// What is left of the machine.
public struct MachineFigures: Hashable, Sendable, Encodable {
    public struct Disk: Hashable, Sendable, Encodable {
        /// By its setting: `output`, `recordings`.
        public var name: String
        /// In bytes.
        public var free: Int64
        public var total: Int64

        public init(name: String, free: Int64, total: Int64) {
            self.name = name
            self.free = free
            self.total = total
        }
    }

    public var startedAt: UnixTime
    public var cores: Double
    /// Nil until known.
    public var busyCores: Double?
    /// In bytes; nil if the kernel does not say.
    public var memory: Int64?
    public var memoryFree: Int64?
    /// Of the server itself, without its bots.
    public var serverMemory: Int64
    public var disks: [Disk]

    public init(
        startedAt: UnixTime, cores: Double, busyCores: Double? = nil, memory: Int64? = nil,
        memoryFree: Int64? = nil, serverMemory: Int64 = 0, disks: [Disk] = []
    ) {
        self.startedAt = startedAt
        self.cores = cores
        self.busyCores = busyCores
        self.memory = memory
        self.memoryFree = memoryFree
        self.serverMemory = serverMemory
        self.disks = disks
    }

    enum CodingKeys: String, CodingKey {
        case cores, memory, disks
        case startedAt = "started_at"
        case busyCores = "busy_cores"
        case memoryFree = "memory_free"
        case serverMemory = "server_memory"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(startedAt.description, forKey: .startedAt)
        try container.encode(cores, forKey: .cores)
        try container.encode(busyCores, forKey: .busyCores)
        try container.encode(memory, forKey: .memory)
        try container.encode(memoryFree, forKey: .memoryFree)
        try container.encode(serverMemory, forKey: .serverMemory)
        try container.encode(disks, forKey: .disks)
    }
}
