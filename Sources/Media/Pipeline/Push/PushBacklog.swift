import Codec
import MediaKernel

/// The packets that wait for one output's connection.
///
/// A connection begins with a key frame and the sound from its time on; the sound may come first,
/// so the latest is kept even without a connection. What is older than ``lagMaximum`` is dropped up
/// to the latest key frame, or else to the next one.
struct PushBacklog: Sendable {
    enum Item: Hashable, Sendable {
        case picture(EncodedPacket)
        case sound(EncodedPacket)

        var packet: EncodedPacket {
            switch self {
            case .picture(let packet), .sound(let packet): packet
            }
        }

        var isKeyframe: Bool {
            if case .picture(let packet) = self { packet.isKeyframe } else { false }
        }
    }

    /// How far an output may be behind the stream.
    static let lagMaximum: Duration = .seconds(3)

    private enum Phase {
        case closed
        /// A connection waits for a key frame.
        case seeking
        case flowing
    }

    private var phase = Phase.closed
    private var items: [Item] = []
    /// The position of the first item that still waits.
    private var head = 0
    /// Pictures that no connection will get.
    private(set) var picturesDropped = 0

    var isEmpty: Bool { phase != .flowing || head == items.count }

    mutating func append(picture packet: EncodedPacket) {
        switch phase {
        case .closed: picturesDropped += 1
        case .seeking where !packet.isKeyframe: picturesDropped += 1
        case .seeking: begin(with: packet)
        case .flowing:
            items.append(.picture(packet))
            catchUp()
        }
    }

    mutating func append(sound packet: EncodedPacket) {
        items.append(.sound(packet))
        switch phase {
        case .closed, .seeking: forgetOldSound()
        case .flowing: catchUp()
        }
    }

    /// A new connection takes packets, from the next key frame on.
    mutating func open() {
        guard phase == .closed else { return }
        phase = .seeking
    }

    /// The connection is over.
    mutating func close() {
        phase = .closed
        drop(upTo: items.count, keepingSoundFrom: nil)
    }

    mutating func popFirst() -> Item? {
        guard !isEmpty else { return nil }
        defer {
            head += 1
            if head >= 64, head * 2 >= items.count {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }

    private mutating func begin(with packet: EncodedPacket) {
        phase = .flowing
        let start = Self.time(packet)
        items = [.picture(packet)] + items[head...].filter { Self.time($0.packet) >= start }
        head = 0
    }

    private mutating func catchUp() {
        guard let oldest = items[head...].first, let newest = items.last,
            Self.time(newest.packet) - Self.time(oldest.packet) > Self.lagMaximum
        else { return }
        let key = items.indices.last { $0 > head && items[$0].isKeyframe }
        guard let key else {
            phase = .seeking
            return drop(upTo: items.count, keepingSoundFrom: nil)
        }
        drop(upTo: key, keepingSoundFrom: Self.time(items[key].packet))
    }

    /// - Parameter start: sound of this time and later stays; nil keeps the latest sound.
    private mutating func drop(upTo end: Int, keepingSoundFrom start: Duration?) {
        var sound: [Item] = []
        for item in items[head..<end] {
            switch item {
            case .picture: picturesDropped += 1
            case .sound(let packet):
                if start.map({ Self.time(packet) >= $0 }) ?? true { sound.append(item) }
            }
        }
        // The key frame comes first.
        let rest = items[end...]
        items = Array(rest.prefix(1)) + sound + rest.dropFirst()
        head = 0
        if start == nil { forgetOldSound() }
    }

    private mutating func forgetOldSound() {
        guard let newest = items.last else { return }
        let start = Self.time(newest.packet) - Self.lagMaximum
        let old = items[head...].prefix { Self.time($0.packet) < start }.count
        items.removeFirst(head + old)
        head = 0
    }

    private static func time(_ packet: EncodedPacket) -> Duration {
        .nanoseconds(packet.dts.rescaled(to: 1_000_000).ticks * 1000)
    }
}
