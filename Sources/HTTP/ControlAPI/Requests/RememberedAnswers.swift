import HTTPTypes
import MediaKernel
import NIOCore
import Synchronization

/// The answers to requests to which their callers gave keys: a request that is repeated, since its
/// answer got lost, has the same answer and no second effect.
final class RememberedAnswers: Sendable {
    static let lifetime: Duration = .seconds(86_400)
    /// The most answers, and the most bytes of all; the oldest are forgotten first.
    static let countMaximum = 1024
    static let bytesMaximum = 8 * 1024 * 1024
    /// A longer one is not remembered. The longest, of a template, has some 300 KiB.
    static let answerBytesMaximum = 512 * 1024

    struct Answer: Sendable {
        var head: HTTPResponse
        var body: ByteBuffer

        /// With a guess of what the head takes.
        fileprivate var byteCount: Int { body.readableBytes + 1024 }
    }

    /// What is to be done about a request.
    enum Verdict: Sendable {
        /// Answer it, then `end` it.
        case answer
        case repeatAnswer(Answer)
        /// The same request is being answered.
        case wait
        /// The key is that of a request with another body.
        case refuse
    }

    private struct Entry {
        let number: UInt64
        let body: [UInt8]
        let until: UnixTime
        /// Nil while the request is being answered.
        var answer: Answer?
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        var lastNumber: UInt64 = 0
        var byteCount = 0

        mutating func remove(_ key: [UInt8]) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            byteCount -= entry.answer?.byteCount ?? 0
        }

        /// Forgets the oldest answer.
        ///
        /// - Returns: false if there is none: what is being answered is not forgotten.
        mutating func removeOldest() -> Bool {
            let oldest = entries.filter { $0.value.answer != nil }
                .min { $0.value.number < $1.value.number }
            guard let oldest else { return false }
            remove(oldest.key)
            return true
        }
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - key: the caller's, with the caller and the address; of fixed length, as a hash.
    ///   - body: the body's hash.
    func begin(_ key: [UInt8], body: [UInt8], at now: UnixTime) -> Verdict {
        state.withLock { state in
            if let entry = state.entries[key], now < entry.until || entry.answer == nil {
                guard entry.body == body else { return .refuse }
                return entry.answer.map { .repeatAnswer($0) } ?? .wait
            }
            state.remove(key)
            while state.entries.count >= Self.countMaximum {
                // With so many under way, this one is answered without being remembered.
                guard state.removeOldest() else { return .answer }
            }
            state.lastNumber += 1
            state.entries[key] = Entry(
                number: state.lastNumber, body: body, until: now + Self.lifetime)
            return .answer
        }
    }

    /// - Parameter answer: nil to forget the request, so that it can be tried again.
    func end(_ key: [UInt8], with answer: Answer?) {
        state.withLock { state in
            guard var entry = state.entries[key], entry.answer == nil else { return }
            guard let answer, answer.body.readableBytes <= Self.answerBytesMaximum else {
                return state.remove(key)
            }
            entry.answer = answer
            state.entries[key] = entry
            state.byteCount += answer.byteCount
            while state.byteCount > Self.bytesMaximum, state.removeOldest() {}
        }
    }
}
