import MediaKernel
import RTP

/// A network between a sender and a receiver that drops, delays, reorders and repeats packets, in
/// fake time.
struct LossyPath {
    var delay: Duration = .milliseconds(20)
    /// The most that is added to the delay at random.
    var jitter: Duration = .zero
    /// Lost packets per thousand.
    var lossPermille = 0
    var duplicatePermille = 0
    private var underway: [(arrival: Instant, packet: RTPPacket)] = []
    private var earliest = Instant.distantFuture
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func send(_ packet: RTPPacket, at now: Instant) {
        if Int.random(in: 0..<1000, using: &random) < lossPermille { return }
        let copies = Int.random(in: 0..<1000, using: &random) < duplicatePermille ? 2 : 1
        for _ in 0..<copies {
            let extra = Int64.random(in: 0...max(0, jitter.nanoseconds), using: &random)
            let arrival = now + delay + .nanoseconds(extra)
            earliest = min(earliest, arrival)
            underway.append((arrival, packet))
        }
    }

    /// The packets that have arrived by now, in order of arrival.
    mutating func arrived(by now: Instant) -> [RTPPacket] {
        guard earliest <= now else { return [] }
        let here = underway.filter { $0.arrival <= now }.sorted { $0.arrival < $1.arrival }
        underway.removeAll { $0.arrival <= now }
        earliest = underway.map(\.arrival).min() ?? .distantFuture
        return here.map(\.packet)
    }
}

/// A sender of video that answers NACKs and key frame requests, a lossy path, and a receiver.
struct VideoSimulation {
    var stream: SimulatedStream
    var path: LossyPath
    var receiver: VideoReceiver
    var cache = RetransmissionCache(packetsMaximum: 2048)
    var answersKeyframeRequests = true
    private(set) var sent: [SimulatedStream.Frame] = []
    private(set) var received: [EncodedFrame] = []
    private(set) var requests = 0
    private(set) var nacks = 0
    /// The feedback: its arrival at the sender, and its contents.
    private var feedback: [(arrival: Instant, output: VideoReceiver.Output)] = []
    private var keyframeWanted = true

    init(_ codec: MediaCodec, seed: UInt64, sequence: UInt16 = 65_000) {
        stream = SimulatedStream(codec, seed: seed, sequence: sequence, timestamp: 0xFFFF_0000)
        path = LossyPath(seed: seed &+ 1000)
        receiver = VideoReceiver(codec: codec)
    }

    /// Runs for this many frames at 30 per second, then until the path is empty.
    mutating func run(frames: Int) {
        var now = Instant.zero
        let end = frames * 33 + 1500
        for millisecond in 0..<end {
            now = .zero + .milliseconds(millisecond)
            if millisecond % 33 == 0, millisecond / 33 < frames { sendFrame(at: now) }
            answer(at: now)
            for packet in path.arrived(by: now) {
                receiver.handle(packet, at: now)
                collect(at: now)
            }
            if let deadline = receiver.nextDeadline, deadline <= now {
                receiver.handleTimeout(at: now)
                collect(at: now)
            }
        }
    }

    private mutating func sendFrame(at now: Instant) {
        let (frame, packets) = stream.next(isKeyframe: keyframeWanted)
        keyframeWanted = false
        sent.append(frame)
        for packet in packets {
            cache.store(packet)
            path.send(packet, at: now)
        }
    }

    private mutating func answer(at now: Instant) {
        guard !feedback.isEmpty else { return }
        for (_, output) in feedback.filter({ $0.arrival <= now }) {
            switch output {
            case .frame: break
            case .keyframeNeeded: keyframeWanted = keyframeWanted || answersKeyframeRequests
            case .nack(let numbers):
                for number in numbers {
                    if let packet = cache.packet(number, at: now) { path.send(packet, at: now) }
                }
            }
        }
        feedback.removeAll { $0.arrival <= now }
    }

    private mutating func collect(at now: Instant) {
        while let output = receiver.poll() {
            switch output {
            case .frame(let frame): received.append(frame)
            case .nack: nacks += 1
            case .keyframeNeeded: requests += 1
            }
            if case .frame = output { continue }
            feedback.append((now + .milliseconds(20), output))
        }
    }
}
