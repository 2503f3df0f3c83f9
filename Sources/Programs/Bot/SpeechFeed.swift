import Glibc
import MediaKernel
import Pipeline
import Speech
import Stage
import Streams
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends the voices to the program that recognizes speech.
///
/// A speaker who falls silent is sent as silence for one more second, so that the program finds the
/// end of what was said, and then not at all. When the program's keeper does not read, frames are
/// left out.
final class SpeechFeed: SoundListener {
    struct Person: Hashable, Sendable {
        var peer: String
        var name: String
    }

    fileprivate struct Speaker {
        let number: UInt32
        let person: Person
        /// Whether the program has been told of them.
        var isAnnounced = false
        var sampler = SpeechSampler()
        /// Where the next sample is due.
        var next: Int64 = 0
        /// Samples of silence since the last sound.
        var silence: Int64 = 0
        /// What is not sent yet, and its time in milliseconds since 1970.
        var waiting: [UInt8] = []
        var time: Int64 = 0
    }

    fileprivate struct State {
        var epoch: Int64 = 0
        /// The owners of present tracks.
        var people: [TrackID: Person] = [:]
        var speakers: [TrackID: Speaker] = [:]
        /// Announced speakers whose end is still to be told.
        var gone: [UInt32] = []
        var numbers: UInt32 = 0
        /// Of speakers of late, too: words come some time after they are said.
        var said: [UInt32: Person] = [:]
    }

    static let framesMaximum = 1024
    /// The most speakers that are remembered; the eldest is forgotten first.
    static let peopleMaximum = 512
    /// Bytes of a frame of sound: a tenth of a second.
    static let frameBytes = 3200
    fileprivate static let sampleRate: Int64 = 48_000

    private let state = Mutex(State())
    private let inbox = Mailbox<SpeechFrame>(maximum: SpeechFeed.framesMaximum)
    private let thread: Mutex<MediaThread?> = Mutex(nil)

    /// - Parameter output: takes a frame's bytes; false when there is nobody any more. Called on a
    ///   thread of its own.
    init(output: @escaping @Sendable ([UInt8]) -> Bool, end: @escaping @Sendable () -> Void) {
        let inbox = inbox
        thread.withLock { thread in
            thread = MediaThread(name: "speech") {
                var batch: [SpeechFrame] = []
                while inbox.takeAll(into: &batch, until: nil) {
                    for frame in batch where !output(frame.bytes) { inbox.close() }
                    batch.removeAll(keepingCapacity: true)
                }
                end()
            }
        }
    }

    convenience init(to handle: SpeechHandle) {
        let file = handle.frames
        self.init(
            output: { bytes in
                var place = 0
                while place < bytes.count {
                    let count = bytes[place...].withUnsafeBytes {
                        write(file, $0.baseAddress, $0.count)
                    }
                    guard count > 0 || errno == EINTR else { return false }
                    place += max(0, count)
                }
                return true
            }, end: { close(file) })
    }

    /// Who a number of a frame means.
    func person(_ number: UInt32) -> Person? { state.withLock { $0.said[number] } }

    func show(_ peers: [SourcePeer]) {
        state.withLock { state in
            state.people = [:]
            for peer in peers {
                for track in peer.tracks where !track.isVideo {
                    state.people[track.id] = Person(peer: peer.id.rawValue, name: peer.name)
                }
            }
            for (track, speaker) in state.speakers where state.people[track] == nil {
                state.speakers[track] = nil
                if speaker.isAnnounced { state.gone.append(speaker.number) }
            }
            sendEnds(&state)
        }
    }

    func began(epoch: Int64) { state.withLock { $0.epoch = epoch } }

    func hear(_ samples: [Float]?, at place: Range<Int64>, of track: TrackID) {
        state.withLock { state in
            sendEnds(&state)
            for frame in state.frames(for: samples, at: place, of: track) {
                // The program must know whom it hears.
                guard announce(track, &state) else { return }
                _ = send(frame)
            }
        }
    }

    /// - Returns: false for a speaker of whom the program cannot be told yet.
    private func announce(_ track: TrackID, _ state: inout State) -> Bool {
        guard let speaker = state.speakers[track] else { return false }
        let isAnnounced = speaker.isAnnounced || send(speaker.announcement)
        state.speakers[track]?.isAnnounced = isAnnounced
        return isAnnounced
    }

    /// Those that find no room are told with a later frame.
    private func sendEnds(_ state: inout State) {
        while let number = state.gone.first {
            guard send(SpeechFrame(.end, speaker: number, time: 0)) else { return }
            state.gone.removeFirst()
        }
    }

    /// - Returns: false for a frame that is left out.
    private func send(_ frame: SpeechFrame) -> Bool { inbox.offer(frame) }

    func stop() async {
        inbox.close()
        await thread.withLock { $0 }?.join()
    }
}

extension SpeechFeed.State {
    fileprivate mutating func frames(
        for samples: [Float]?, at place: Range<Int64>, of track: TrackID
    ) -> [SpeechFrame] {
        if speakers[track] == nil {
            guard samples != nil, let person = people[track] else { return [] }
            numbers += 1
            speakers[track] = SpeechFeed.Speaker(number: numbers, person: person)
            said[numbers] = person
            if said.count > SpeechFeed.peopleMaximum, let first = said.keys.min() {
                said[first] = nil
            }
        }
        guard var speaker = speakers.removeValue(forKey: track) else { return [] }
        defer { speakers[track] = speaker }
        speaker.silence = samples == nil ? speaker.silence + Int64(place.count) : 0
        var frames: [SpeechFrame] = []
        if speaker.next != place.lowerBound {
            frames = speaker.flush()
            speaker.sampler = SpeechSampler()
        }
        speaker.next = place.upperBound
        guard speaker.silence <= SpeechFeed.sampleRate else { return frames + speaker.flush() }
        let block = samples ?? [Float](repeating: 0, count: 2 * place.count)
        guard let (bytes, first) = speaker.sampler.sample(block) else { return frames }
        if speaker.waiting.isEmpty {
            let sample = place.lowerBound + Int64(first)
            speaker.time = epoch / 1_000_000 + sample * 1000 / SpeechFeed.sampleRate
        }
        speaker.waiting += bytes
        return speaker.waiting.count < SpeechFeed.frameBytes ? frames : frames + speaker.flush()
    }
}

extension SpeechFeed.Speaker {
    fileprivate var announcement: SpeechFrame {
        let fields = ["peer_id": person.peer, "peer_name": person.name]
        return SpeechFrame(
            .begin, speaker: number, time: 0,
            payload: Array((try? JSONEncoder().encode(fields)) ?? Data()))
    }

    fileprivate mutating func flush() -> [SpeechFrame] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return [SpeechFrame(.sound, speaker: number, time: time, payload: waiting)]
    }
}
