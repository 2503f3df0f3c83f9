/// What the log of a stream's tracks says, by file.
struct TrackParts {
    struct Part: Hashable {
        var file: String
        var track: RecordedTrack
        var format: TrackFormat
        var clock: TrackClockFit
        var gaps: [TrackIndex.Gap] = []
        /// The last frame is shown until then, in ticks; nil when the bot was killed.
        var end: Int64?
    }

    /// In the order in which they began.
    private(set) var parts: [Part] = []
    /// The common clock's zero, in nanoseconds since 1970.
    let startedAt: Int64
    private var mutes: [String: [(isMuted: Bool, at: Int64)]] = [:]

    /// Nil if no bot has recorded tracks.
    init?(_ entries: [TrackLogEntry]) {
        let begins = entries.compactMap { entry in
            if case .run(let monotonic, let unix) = entry { (monotonic, unix) } else { nil }
        }
        guard let (zero, unix) = begins.first else { return nil }
        startedAt = unix
        var notes: [String: [TrackClockFit.Note]] = [:]
        for case .clock(let file, let media, let capture) in entries {
            notes[file, default: []].append(
                TrackClockFit.Note(media: media, capture: capture - zero))
        }
        var places: [String: Int] = [:]
        for entry in entries {
            switch entry {
            case .part(let file, let track, let format):
                guard places[file] == nil, let known = notes[file] else { continue }
                places[file] = parts.count
                parts.append(
                    Part(file: file, track: track, format: format, clock: TrackClockFit(known)))
            case .gap(let file, let from, let to, let reason):
                guard let place = places[file] else { continue }
                let clock = parts[place].clock
                parts[place].gaps.append(
                    TrackIndex.Gap(
                        from: clock.scaled(from, to: 1000), to: clock.scaled(to, to: 1000),
                        reason: reason))
            case .end(let file, let media):
                if let place = places[file] { parts[place].end = media }
            case .mute(let track, let isMuted, let at):
                mutes[track, default: []].append((isMuted, at - zero))
            case .run, .clock: break
            }
        }
    }

    /// When a track was muted, in milliseconds of the common clock; nil for an open end.
    func mutes(of track: String) -> [TrackIndex.Mute] {
        var spans: [TrackIndex.Mute] = []
        for (isMuted, at) in mutes[track] ?? [] {
            let isOpen = spans.last.map { $0.to == nil } ?? false
            let at = max(0, at / 1_000_000)
            if isMuted, !isOpen {
                spans.append(TrackIndex.Mute(from: at, to: nil))
            } else if !isMuted, isOpen {
                spans[spans.count - 1].to = at
            }
        }
        return spans
    }
}
