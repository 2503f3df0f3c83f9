public import MediaKernel

/// Receives one video stream: orders its packets, requests lost ones, joins them to frames and
/// delivers whole frames in decode order.
///
/// A hole that cannot be repaired in time is dropped with everything up to the next key frame,
/// which is requested. Frames after such a hole are never delivered: they would decode to garbage.
///
/// ```
///            first packet, or restart               key frame's start found: join
///  (.empty) ─────────────────────────► (.seeking) ────────────────────────────► (.joining)
///                                          ▲  ▲                                      │
///                      seek: hole given up,│  └──── seek: hole, no key frame ────────┤
///                      broken frame        │                                         │
///                                      (.flowing) ◄──────────────────────────────────┘
///                                                          nextFrame: key frame is whole
/// ```
///
/// After each `handle`, `handleTimeout` or `resynchronize`, call `poll` until it returns nil.
/// Packets repaired by RTX go through `handle` too, after `RTX.unwrap`.
public struct VideoReceiver: Sendable {
    private enum Phase: Sendable {
        /// No packet yet.
        case empty
        /// No key frame's start known; packets from `floor` on are kept.
        case seeking(floor: Int64)
        /// The key frame that begins at `next` is arriving. An even earlier start of it may arrive
        /// late, down to `floor`.
        case joining(floor: Int64, next: Int64)
        /// All frames before `next` have been delivered.
        case flowing(next: Int64)
    }

    private struct Arrived: Sendable {
        let payload: ArraySlice<UInt8>
        let timestamp: UInt32
        let marker: Bool
        let arrival: Instant
        let rotation: VideoRotation?
    }

    /// How far the packets of the front frame have been scanned.
    private struct Scan: Sendable {
        var start: Int64?
        var cursor: Int64
        var timestamp: UInt32 = 0
        var bytes = 0
    }

    /// Numbers kept while looking for a key frame's start, to allow for reordering.
    static let seekWindow: Int64 = 256
    /// Of these, the numbers kept once a start is found: parameter sets come just before it.
    static let joinWindow: Int64 = 16
    /// How long a key frame may take, from its first packet, before another is requested.
    static let joinPatience: Duration = .milliseconds(500)

    public let codec: MediaCodec
    public private(set) var counters = Counters()

    private let configuration: Configuration
    private var depacketizer: any Depacketizer
    private var continuity = StreamContinuity()
    private var timestamps = TimestampUnwrapper()
    private var ring: SequenceRing<Arrived>
    private var newest: Int64 = 0
    private var phase = Phase.empty
    private var scan = Scan(cursor: 0)
    private var nack: NACKGenerator
    private var keyframeRequest = KeyframeRequestTimer()
    private var rotation = VideoRotation.none
    private var followsLoss = false
    private var now = Instant.zero

    /// - Parameter codec: one of the video codecs.
    public init(codec: MediaCodec, configuration: Configuration = Configuration()) {
        precondition(codec.isVideo, "a video receiver receives video")
        self.codec = codec
        self.configuration = configuration
        depacketizer = codec.makeDepacketizer()
        ring = SequenceRing(maximum: min(max(configuration.packetsMaximum, 512), 32_768))
        nack = NACKGenerator(configuration.repair)
    }

    /// When to call `handleTimeout`; nil while there is nothing to wait for.
    public var nextDeadline: Instant? {
        guard let request = keyframeRequest.due else { return nack.nextDeadline }
        return min(request, nack.nextDeadline ?? request)
    }

    // MARK: Facts in

    public mutating func handle(_ packet: RTPPacket, at now: Instant) {
        self.now = now
        switch continuity.place(packet) {
        case .placed(let number):
            take(packet, number)
        case .setAside:
            break
        case .restarted(let packets):
            restart()
            for packet in packets {
                if case .placed(let number) = continuity.place(packet) { take(packet, number) }
            }
        }
    }

    public mutating func handleTimeout(at now: Instant) { self.now = now }

    /// The decoder failed: drops everything up to the next key frame and requests one.
    public mutating func resynchronize(at now: Instant) {
        self.now = now
        switch phase {
        case .empty, .seeking, .joining: break
        case .flowing(let next): seek(from: next)
        }
    }

    // MARK: Orders out

    public mutating func poll() -> Output? {
        while true {
            if let frame = nextFrame() { return .frame(frame) }
            let lost = nack.poll(at: now)
            if giveUpAbandoned() { continue }
            guard !lost.isEmpty else { break }
            return .nack(lost)
        }
        return keyframeRequest.poll(at: now) ? .keyframeNeeded : nil
    }
}

// MARK: Taking packets

extension VideoReceiver {
    private mutating func restart() {
        counters.restarts += 1
        followsLoss = true
        ring.removeAll()
        nack.restart()
        phase = .empty
    }

    private mutating func take(_ packet: RTPPacket, _ number: Int64) {
        switch phase {
        case .empty:
            newest = number
            phase = .seeking(floor: number - Self.seekWindow)
        case .seeking(let floor):
            guard isTimely(number, floor) else { return }
        case .joining(let floor, let next):
            guard isTimely(number, floor) else { return }
            if number >= next { makeRoom(for: number, floor) }
        case .flowing(let next):
            guard isTimely(number, next) else { return }
            makeRoom(for: number, next)
        }
        newest = max(newest, number)
        let orientation = configuration.videoOrientationID.flatMap { packet.extensions[$0] }
        ring[number] = Arrived(
            payload: packet.payload, timestamp: packet.timestamp, marker: packet.marker,
            arrival: now,
            rotation: orientation.flatMap { VideoOrientation(extensionBytes: $0)?.rotation })
        taken(packet, number)
    }

    private mutating func isTimely(_ number: Int64, _ floor: Int64) -> Bool {
        guard number >= floor else {
            counters.late += 1
            return false
        }
        guard ring[number] == nil else {
            counters.duplicates += 1
            return false
        }
        return true
    }

    /// If a packet is beyond the window, gives up the packets that block the window's start.
    private mutating func makeRoom(for number: Int64, _ front: Int64) {
        guard number - front >= Int64(ring.maximum) else { return }
        seek(from: number - Int64(ring.maximum) + 1)
    }

    private mutating func taken(_ packet: RTPPacket, _ number: Int64) {
        switch phase {
        case .empty:
            break
        case .seeking(let floor):
            if isKeyframeStart(packet.payload) {
                join(floor: floor, at: number)
            } else {
                keyframeRequest.needed(at: now)
                raiseFloor(floor)
            }
        case .joining(let floor, let next):
            if number > next {
                nack.received(extended: number, at: now)
            } else if isKeyframeStart(packet.payload),
                packet.timestamp == ring[next]?.timestamp
            {
                join(floor: floor, at: number)
            }
        case .flowing:
            nack.received(extended: number, at: now)
        }
    }

    private func isKeyframeStart(_ payload: ArraySlice<UInt8>) -> Bool {
        KeyframeDetection.isKeyframeStart(payload: payload, codec: codec)
    }

    private mutating func raiseFloor(_ floor: Int64) {
        let raised = newest - Self.seekWindow
        guard raised > floor else { return }
        forget(floor..<raised)
        phase = .seeking(floor: raised)
    }

    private mutating func forget(_ numbers: Range<Int64>) {
        for number in numbers { ring[number] = nil }
    }
}

// MARK: Losing and finding the stream

extension VideoReceiver {
    /// Gives up everything before `floor`; continues at the first key frame start from there.
    private mutating func seek(from floor: Int64) {
        let front: Int64
        switch phase {
        case .empty: return
        case .seeking(let old): front = old
        case .joining(let old, _): front = old
        case .flowing(let next): front = next
        }
        counters.holesGivenUp += 1
        followsLoss = followsLoss || counters.framesDelivered > 0
        nack.restart()
        if front < floor { forget(front..<floor) }
        phase = .seeking(floor: max(front, floor))
        keyframeRequest.needed(at: now)
        guard floor <= newest else { return }
        for number in floor...newest {
            if let packet = ring[number], isKeyframeStart(packet.payload) {
                join(floor: floor, at: number)
                return
            }
        }
        raiseFloor(floor)
    }

    private mutating func join(floor: Int64, at number: Int64) {
        let kept = max(floor, number - Self.joinWindow)
        forget(floor..<kept)
        phase = .joining(floor: kept, next: number)
        scan = Scan(cursor: number)
        keyframeRequest.postpone(until: now + Self.joinPatience)
        nack.restart()
        for present in number...max(number, newest) where ring[present] != nil {
            nack.received(extended: present, at: now)
        }
    }

    /// Returns whether a hole was given up.
    private mutating func giveUpAbandoned() -> Bool {
        let abandoned = nack.takeAbandoned()
        switch phase {
        case .empty, .seeking:
            return false
        case .joining(_, let next), .flowing(let next):
            guard let hole = abandoned.filter({ $0 >= next }).min() else { return false }
            seek(from: hole + 1)
            return true
        }
    }
}

// MARK: Joining packets to frames

extension VideoReceiver {
    private mutating func nextFrame() -> EncodedFrame? {
        while true {
            switch phase {
            case .empty, .seeking: return nil
            case .joining, .flowing: break
            }
            guard let end = findFrameEnd() else { return nil }
            guard let start = scan.start else { continue }
            if let frame = assemble(start..<end) { return frame }
        }
    }

    /// Scans the packets at the front. Returns the end of a whole frame; nil if a packet is
    /// missing. If the front is not a frame, gives it up and leaves `scan.start` nil.
    private mutating func findFrameEnd() -> Int64? {
        while let packet = ring[scan.cursor] {
            if packet.payload.isEmpty {
                // A padding-only packet takes a sequence number but is not part of a frame.
            } else if scan.start == nil {
                guard depacketizer.beginsFrame(packet.payload) else {
                    return giveUpFront(at: scan.cursor + 1)
                }
                scan.start = scan.cursor
                scan.timestamp = packet.timestamp
            } else if packet.timestamp != scan.timestamp {
                return scan.cursor
            }
            scan.bytes += packet.payload.count
            scan.cursor += 1
            guard scan.bytes <= configuration.frameBytesMaximum else {
                return giveUpFront(at: scan.cursor)
            }
            if packet.payload.isEmpty {
                if scan.start == nil { moveFront(to: scan.cursor) }
            } else if packet.marker {
                return scan.cursor
            }
        }
        return nil
    }

    private mutating func giveUpFront(at end: Int64) -> Int64 {
        counters.framesBroken += 1
        scan.start = nil
        seek(from: end)
        return end
    }

    /// Drops everything before this number as handled.
    private mutating func moveFront(to next: Int64) {
        switch phase {
        case .empty, .seeking:
            return
        case .joining(_, let front):
            forget(front..<next)
            phase = .joining(floor: next, next: next)
        case .flowing(let front):
            forget(front..<next)
            phase = .flowing(next: next)
        }
    }

    private mutating func assemble(_ numbers: Range<Int64>) -> EncodedFrame? {
        let packets = numbers.compactMap { ring[$0] }
        let payloads = packets.map(\.payload).filter { !$0.isEmpty }
        let joined: DepacketizedFrame?
        do throws(RTPError) {
            joined = try depacketizer.assemble(payloads)
        } catch {
            joined = nil
        }
        guard let joined, let frame = delivered(joined, from: packets) else {
            _ = giveUpFront(at: numbers.upperBound)
            return nil
        }
        moveFront(to: numbers.upperBound)
        phase = .flowing(next: numbers.upperBound)
        scan = Scan(cursor: numbers.upperBound)
        return frame
    }

    /// Nil if a key frame was due and this is not one.
    private mutating func delivered(
        _ frame: DepacketizedFrame, from packets: [Arrived]
    ) -> EncodedFrame? {
        if case .joining = phase, !frame.isKeyframe { return nil }
        if frame.isKeyframe {
            keyframeRequest.satisfied()
            counters.keyframesDelivered += 1
        }
        counters.framesDelivered += 1
        // Sent on the frame's last packet when relevant, and valid until the next one.
        rotation = packets.last(where: { $0.rotation != nil })?.rotation ?? rotation
        defer { followsLoss = false }
        return EncodedFrame(
            codec: codec, timestamp: timestamps.unwrap(scan.timestamp),
            isKeyframe: frame.isKeyframe, data: frame.data, width: frame.size?.width,
            height: frame.size?.height, rotation: rotation,
            lastArrival: packets.map(\.arrival).max() ?? now, followsLoss: followsLoss)
    }
}
