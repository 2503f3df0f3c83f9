import Clocks
import MediaKernel
import Pipeline
import Recording
import Rooms
import Stage

/// Writes the files of recorded tracks. Owned by one thread.
final class TrackWriter {
    private final class Source {
        let codec: TrackCodec
        var owner: PeerID?
        /// Nil until the room has announced the track, and for one that is not recorded.
        var recorder: TrackRecorder?
        /// Of the recorder.
        var number = 0
        /// Whether the room has announced the track, and it is not to be recorded.
        var isUnwanted = false
        /// Frames that came before the room announced the track.
        private(set) var early: [IncomingFrame] = []
        private var earlyBytes = 0
        var backlog = ArrivalBacklog()

        init(_ codec: TrackCodec) { self.codec = codec }

        /// Keeps the latest frames, which adjoin those that follow.
        func keepEarly(_ frame: IncomingFrame) {
            if early.count >= TrackWriter.earlyFramesMaximum
                || earlyBytes + frame.data.count > TrackWriter.earlyBytesMaximum
            {
                _ = takeEarly()
            }
            early.append(frame)
            earlyBytes += frame.data.count
        }

        func takeEarly() -> [IncomingFrame] {
            defer { (early, earlyBytes) = ([], 0) }
            return early
        }
    }

    /// Every track's place is its capture plus this, exactly: delays differ by less.
    private static let delay: Duration = .seconds(2)
    /// The room announces a track some tenths of a second after its first frames at most.
    private static let earlyFramesMaximum = 200
    private static let earlyBytesMaximum = 4 << 20
    /// The thread wakes for several packets at once.
    private static let batchInterval: Duration = .milliseconds(50)
    private static let flushInterval: Duration = .milliseconds(250)
    private static let lifeInterval: Duration = .seconds(1)

    private let options: TrackOptions
    private let folder: TrackFolder
    private let keyframeNeeded: (TrackID) -> Void
    private var isPaused: Bool
    private var nextNumber: Int
    private var peers: [SourcePeer]?
    private var sources: [TrackID: Source] = [:]
    private var clocks: [PeerID: SourceClock] = [:]
    private var mutes: [TrackID: Bool] = [:]

    /// - Throws: `.file`.
    init(
        _ options: TrackOptions, in directory: String, isPaused: Bool,
        keyframeNeeded: @escaping (TrackID) -> Void
    ) throws(RecordingError) {
        self.options = options
        self.isPaused = isPaused
        self.keyframeNeeded = keyframeNeeded
        folder = try TrackFolder(in: directory)
        nextNumber = folder.firstNumber
        try folder.note(
            .run(
                monotonic: MonotonicClock.now.nanoseconds, unix: UnixTime.now.nanoseconds))
    }

    /// Runs until `.finish`, or the end of the queue.
    ///
    /// - Parameters:
    ///   - taken: gets the bytes of frames that no longer wait.
    ///   - progressed: called about once a second.
    /// - Throws: `.file`.
    func run(
        _ inbox: Mailbox<TrackRecording.Command>, taken: (Int) -> Void,
        progressed: () -> Void
    ) throws(RecordingError) {
        var batch: [TrackRecording.Command] = []
        var life = MonotonicClock.now
        var flushed = life
        while inbox.takeAll(into: &batch, at: MonotonicClock.now + Self.batchInterval) {
            let now = MonotonicClock.now
            var bytes = 0
            for command in batch {
                if case .finish = command { return try endAll(at: now) }
                if case .frame(let frame, _, _) = command { bytes += frame.data.count }
                try handle(command, at: now)
            }
            batch.removeAll(keepingCapacity: true)
            taken(bytes)
            if now - flushed >= Self.flushInterval {
                flushed = now
                for track in sources.keys {
                    try change(track) { $0.flush(at: now) }
                }
            }
            if now - life >= Self.lifeInterval {
                life = now
                progressed()
            }
        }
        try endAll(at: MonotonicClock.now)
    }

    private func handle(
        _ command: TrackRecording.Command, at now: Instant
    ) throws(RecordingError) {
        switch command {
        case .peers(let peers): try show(peers, at: now)
        case .began(let track, let codec):
            try end(track, at: now)
            sources[track] = Source(codec)
            try attach(track, at: now)
        case .ended(let track): try end(track, at: now)
        case .frame(let frame, let track, let isAfterOverflow):
            try take(frame, of: track, isAfterOverflow: isAfterOverflow, at: now)
        case .lost(let track): sources[track]?.recorder?.lost()
        case .report(let track, let timestamp, let ntp, let instant):
            guard let owner = sources[track]?.owner else { return }
            clocks[owner]?.senderReport(
                track, rtpTimestamp: timestamp, ntp: ntp, at: instant)
        case .paused(let isPaused):
            self.isPaused = isPaused
            for track in sources.keys {
                try change(track) { $0.setPaused(isPaused, at: now) }
            }
        case .finish: break
        }
    }

    // MARK: Tracks

    private func show(_ next: [SourcePeer], at now: Instant) throws(RecordingError) {
        peers = next
        for track in sources.keys { try attach(track, at: now) }
        let present = Set(next.map(\.id))
        clocks = clocks.filter { present.contains($0.key) }
        let tracks = next.flatMap(\.tracks)
        for track in tracks where (mutes[track.id] ?? false) != track.isMuted {
            mutes[track.id] = track.isMuted
            try folder.note(
                .mute(
                    track: track.id.rawValue, muted: track.isMuted, at: now.nanoseconds))
        }
        let known = Set(tracks.map(\.id))
        mutes = mutes.filter { known.contains($0.key) }
    }

    /// Begins to record a track once its media flows and the room has announced it, and ends that
    /// when it is not to be recorded any more.
    private func attach(_ id: TrackID, at now: Instant) throws(RecordingError) {
        guard let source = sources[id], let peers else { return }
        let owner = peers.first { $0.tracks.contains { $0.id == id } }
        guard let owner, let track = owner.tracks.first(where: { $0.id == id }),
            options.selects(track, of: owner)
        else {
            // Its media may still end later than the room forgets it.
            try change(id) { $0.end(at: now) }
            if source.recorder != nil { folder.close(track: source.number) }
            source.recorder = nil
            source.isUnwanted = owner != nil
            if source.isUnwanted { _ = source.takeEarly() }
            return
        }
        source.isUnwanted = false
        guard source.recorder == nil else { return }
        source.recorder = TrackRecorder(
            RecordedTrack(
                id: id.rawValue, peer: owner.id.rawValue, name: owner.name, role: owner.role,
                source: track.source.fileName),
            codec: source.codec, number: nextNumber, isPaused: isPaused)
        source.number = nextNumber
        nextNumber += 1
        source.owner = owner.id
        let early = source.takeEarly()
        clocks[
            owner.id,
            default: SourceClock(playoutDelay: .fixed(Self.delay), reserve: .zero)
        ].addTrack(id, clockRate: Int(source.codec.clockRate), isSound: !source.codec.isVideo)
        for frame in early {
            try take(frame, of: id, isAfterOverflow: false, at: now)
        }
    }

    private func take(
        _ frame: IncomingFrame, of track: TrackID, isAfterOverflow: Bool, at now: Instant
    ) throws(RecordingError) {
        guard let source = sources[track] else { return }
        guard source.recorder != nil, let owner = source.owner else {
            if !source.isUnwanted { source.keepEarly(frame) }
            return
        }
        let isBacklog = source.backlog.contains(
            frame.timestamp, rate: source.codec.clockRate, at: frame.arrival)
        if !isBacklog {
            clocks[owner]?.arrived(
                track, rtpTimestamp: frame.timestamp, ready: frame.ready, at: frame.arrival)
        }
        let place = clocks[owner]?.presentation(of: track, rtpTimestamp: frame.timestamp)
        guard let place else { return }
        let encoded = TrackRecorder.Frame(
            data: frame.data, timestamp: frame.timestamp,
            isKeyframe: frame.isKeyframe || !source.codec.isVideo, rotation: frame.rotation,
            width: frame.size?.width, height: frame.size?.height,
            followsLoss: frame.followsLoss)
        try change(track) { recorder in
            if isAfterOverflow { recorder.overflowed() }
            return recorder.take(encoded, captured: place - Self.delay, at: now)
        }
    }

    private func end(_ track: TrackID, at now: Instant) throws(RecordingError) {
        try change(track) { $0.end(at: now) }
        guard let source = sources.removeValue(forKey: track) else { return }
        if source.recorder != nil { folder.close(track: source.number) }
        if let owner = source.owner { clocks[owner]?.removeTrack(track) }
    }

    private func endAll(at now: Instant) throws(RecordingError) {
        for track in sources.keys { try end(track, at: now) }
    }

    /// Lets a recorder decide, and carries that out.
    private func change(
        _ track: TrackID, _ body: (inout TrackRecorder) -> [TrackRecorder.Order]
    ) throws(RecordingError) {
        guard let source = sources[track],
            let orders = source.recorder?.decide(body)
        else { return }
        for order in orders {
            if case .keyframeNeeded = order { keyframeNeeded(track) }
            try folder.carryOut(order, track: source.number)
        }
    }
}

extension TrackRecorder {
    /// In place: a copy of the recorder would copy its cluster at each frame.
    fileprivate mutating func decide(
        _ body: (inout TrackRecorder) -> [Order]
    ) -> [Order] { body(&self) }
}
