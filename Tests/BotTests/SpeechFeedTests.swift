import Dispatch
import MediaKernel
import Pipeline
import Speech
import Synchronization
import Testing

@testable import Bot

@Suite(.timeLimit(.minutes(5))) struct SpeechFeedTests {
    /// What the keeper has been given.
    private final class Keeper: Sendable {
        let frames = Mutex<[SpeechFrame]>([])
        /// It reads once this is signalled.
        let start = DispatchSemaphore(value: 0)

        func take(_ bytes: [UInt8]) -> Bool {
            start.wait()
            start.signal()
            var reader = SpeechFrameReader()
            let read = reader.read(bytes)
            frames.withLock { $0 += read }
            return true
        }
    }

    /// Samples of a frame.
    private static let block: Int64 = 4800

    private func peer(_ name: String) -> SourcePeer {
        SourcePeer(
            id: PeerID(name), name: name, joinedAt: 0,
            tracks: [SourceTrack(id: TrackID(name), isVideo: false, isMuted: false)])
    }

    private func speak(_ name: String, _ blocks: Range<Int64>, to feed: SpeechFeed) {
        let sound = [Float](repeating: 0.1, count: Int(2 * Self.block))
        for number in blocks {
            feed.hear(
                sound, at: number * Self.block..<(number + 1) * Self.block, of: TrackID(name))
        }
    }

    @Test func nobodyIsHeardOrForgottenUnannouncedWhateverIsLeftOut() async throws {
        let keeper = Keeper()
        let feed = SpeechFeed(output: { keeper.take($0) }, end: {})
        feed.show([peer("ann"), peer("ben")])
        // The thread holds what was there when it woke; everything after it waits.
        speak("ann", 0..<Int64(2 * SpeechFeed.framesMaximum + 100), to: feed)
        speak("ben", 0..<3, to: feed)
        feed.show([peer("ben")])
        keeper.start.signal()
        while keeper.frames.withLock({ $0.count }) <= SpeechFeed.framesMaximum {
            await Task.yield()
        }
        speak("ben", 3..<6, to: feed)
        await feed.stop()
        var present: Set<UInt32> = []
        var heard: Set<UInt32> = []
        for frame in keeper.frames.withLock({ $0 }) {
            switch frame.kind {
            case .begin: present.insert(frame.speaker)
            case .sound:
                #expect(present.contains(frame.speaker))
                heard.insert(frame.speaker)
            case .end: #expect(present.remove(frame.speaker) != nil)
            }
        }
        #expect(heard == [1, 2] && present == [2])
    }
}
