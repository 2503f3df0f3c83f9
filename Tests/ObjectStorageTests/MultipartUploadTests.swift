import Digests
import Foundation
import MediaKernel
import ObjectStorage
import Testing

@Suite struct MultipartUploadTests {
    typealias Part = MultipartUpload.Part
    private let now = UnixTime(seconds: 1_770_000_000)
    private static let partBytes = MultipartUpload.partBytesStandard

    private func part(_ number: Int) -> Part {
        Part(number: number, entityTag: "tag\(number)", digest: [UInt8(number)])
    }

    private func saved(_ uploadID: String, _ parts: [Part] = []) -> MultipartUpload.Progress {
        .init(uploadID: uploadID, parts: parts, partBytes: Self.partBytes)
    }

    @Test func aFileGoesThroughAllStepsInOrder() {
        var upload = MultipartUpload(byteCount: Self.partBytes * 4 + 7, seed: 1)
        #expect(upload.next(at: now) == [.create])
        #expect(upload.next(at: now) == [])
        #expect(upload.created("u") == [.save(saved("u"))])
        let size = Int(Self.partBytes)
        #expect(
            upload.next(at: now) == [
                .send(uploadID: "u", part: 1, offset: 0, count: size),
                .send(uploadID: "u", part: 2, offset: Self.partBytes, count: size),
                .send(uploadID: "u", part: 3, offset: Self.partBytes * 2, count: size),
            ])
        #expect(upload.next(at: now) == [])
        #expect(upload.sent(part(2), to: "u") == [.save(saved("u", [part(2)]))])
        #expect(
            upload.next(at: now) == [
                .send(uploadID: "u", part: 4, offset: Self.partBytes * 3, count: size)
            ])
        for number in [1, 3, 4] { _ = upload.sent(part(number), to: "u") }
        #expect(
            upload.next(at: now) == [
                .send(uploadID: "u", part: 5, offset: Self.partBytes * 4, count: 7)
            ])
        _ = upload.sent(part(5), to: "u")
        #expect(upload.bytesSent == Self.partBytes * 4 + 7)
        #expect(upload.next(at: now) == [.complete(uploadID: "u", parts: (1...5).map(part))])
        #expect(upload.completed() == [])
        #expect(upload.next(at: now) == [.confirm])
        let digest = Data(Digest.sha256.hash([1, 2, 3, 4, 5])).base64EncodedString()
        #expect(
            upload.confirmed(
                byteCount: Self.partBytes * 4 + 7, checksum: "\(digest)-5", at: now)
                == [.finished])
        #expect(upload.isFinished && upload.next(at: now) == [])
    }

    @Test func afterARestartOnlyTheMissingPartsAreSent() {
        var upload = MultipartUpload(
            byteCount: Self.partBytes * 3,
            progress: .init(uploadID: "u", parts: [part(1), part(3)]), seed: 1)
        #expect(
            upload.next(at: now)
                == [
                    .send(
                        uploadID: "u", part: 2, offset: Self.partBytes, count: Int(Self.partBytes))
                ])
        _ = upload.sent(part(2), to: "u")
        #expect(upload.next(at: now) == [.complete(uploadID: "u", parts: (1...3).map(part))])
    }

    @Test func whatWasBegunGoesOnInPartsOfTheSizeThatItBeganWith() {
        var first = MultipartUpload(byteCount: 20 << 20, partBytes: 5 << 20, seed: 1)
        _ = first.next(at: now)
        guard case .save(let progress)? = first.created("u").first else {
            Issue.record("nothing to save")
            return
        }
        #expect(progress.partBytes == 5 << 20)
        var second = MultipartUpload(
            byteCount: 20 << 20, partBytes: 16 << 20, progress: progress, seed: 1)
        #expect(
            second.next(at: now).first == .send(uploadID: "u", part: 1, offset: 0, count: 5 << 20))
        let other = MultipartUpload(byteCount: 20 << 20, partBytes: 16 << 20, seed: 1)
        #expect(other.partBytes == 16 << 20)
    }

    @Test func theLongestDelayCanBeChosen() {
        var upload = MultipartUpload(byteCount: 1, delayMaximum: .milliseconds(100), seed: 1)
        _ = upload.next(at: now)
        _ = upload.failed(.unavailable, at: now)
        let delay = upload.nextDueAt.map { $0 - now } ?? .zero
        #expect(delay >= .milliseconds(100) && delay <= .milliseconds(125))
    }

    @Test func aFailureIsWaitedOutHoweverLongItTakes() {
        var upload = MultipartUpload(byteCount: 100, seed: 2)
        var time = now
        for failure in 0..<200 {
            #expect(upload.next(at: time) == [.create])
            #expect(upload.failed(.unavailable, at: time) == [])
            guard let due = upload.nextDueAt else {
                Issue.record("no time to go on")
                return
            }
            let delay = (due - time).inSeconds
            let base = min(Double(1 << min(failure, 6)), 60)
            #expect(delay >= base && delay <= base * 1.25)
            #expect(upload.next(at: due + .nanoseconds(-1)) == [])
            time = due
        }
        #expect(upload.next(at: time) == [.create])
        _ = upload.created("u")
        #expect(upload.next(at: time) == [.send(uploadID: "u", part: 1, offset: 0, count: 100)])
    }

    @Test func aPartThatFailsIsSentAgainAndTheOthersStay() {
        var upload = MultipartUpload(byteCount: Self.partBytes * 2, seed: 3)
        _ = upload.next(at: now)
        _ = upload.created("u")
        _ = upload.next(at: now)
        _ = upload.failed(.unavailable, part: 1, of: "u", at: now)
        #expect(upload.sent(part(2), to: "u") == [.save(saved("u", [part(2)]))])
        let later = now + .seconds(5)
        #expect(upload.next(at: now) == [])
        #expect(
            upload.next(at: later) == [
                .send(uploadID: "u", part: 1, offset: 0, count: Int(Self.partBytes))
            ])
    }

    @Test func anUploadThatIsGoneBeginsAnew() {
        var upload = MultipartUpload(
            byteCount: Self.partBytes * 2, progress: .init(uploadID: "u", parts: [part(1)]),
            seed: 4)
        _ = upload.next(at: now)
        #expect(upload.failed(.uploadGone, part: 2, of: "u", at: now) == [.save(.init())])
        #expect(upload.next(at: now + .seconds(5)) == [.create])
        _ = upload.created("v")
        #expect(upload.next(at: now + .seconds(5)).count == 2)
        // An answer to an earlier request is ignored, though its number is the same.
        #expect(upload.sent(part(2), to: "u") == [])
        #expect(upload.failed(.uploadGone, part: 2, of: "u", at: now) == [])
        #expect(
            upload.sent(part(2), to: "v") == [.save(saved("v", [part(2)]))])
    }

    @Test func aCompletionWhoseAnswerWasLostIsLookedForBeforeAnythingIsSentAgain() {
        for isThere in [true, false] {
            var upload = MultipartUpload(
                byteCount: 5, progress: .init(uploadID: "u", parts: [part(1)]), seed: 5)
            #expect(upload.next(at: now) == [.complete(uploadID: "u", parts: [part(1)])])
            _ = upload.failed(.unavailable, at: now)
            let later = now + .seconds(5)
            #expect(upload.next(at: later) == [.complete(uploadID: "u", parts: [part(1)])])
            #expect(upload.failed(.uploadGone, at: later) == [])
            #expect(upload.next(at: later + .seconds(5)) == [.confirm])
            let orders = upload.confirmed(
                byteCount: isThere ? 5 : nil, checksum: nil, at: later)
            #expect(orders == (isThere ? [.finished] : [.save(.init())]))
        }
    }

    @Test(arguments: [(4, nil), (5, "other-1"), (nil, nil)] as [(Int64?, String?)])
    func whatTheStoreHasOtherwiseIsSentAgain(byteCount: Int64?, checksum: String?) {
        var upload = MultipartUpload(
            byteCount: 5, progress: .init(uploadID: "u", parts: [part(1)]), seed: 6)
        _ = upload.next(at: now)
        _ = upload.completed()
        _ = upload.next(at: now)
        #expect(
            upload.confirmed(byteCount: byteCount, checksum: checksum, at: now)
                == [.save(.init())])
        #expect(!upload.isFinished)
        #expect(upload.next(at: now + .seconds(5)) == [.create])
    }

    @Test func hugeFilesHaveLargerPartsAndNoMoreThanAllowed() {
        for gibibytes: Int64 in [1, 79, 200, 5_000] {
            let upload = MultipartUpload(byteCount: gibibytes << 30, seed: 7)
            let count = ((gibibytes << 30) + upload.partBytes - 1) / upload.partBytes
            #expect(count <= MultipartUpload.partsMaximum)
            #expect(upload.partBytes >= MultipartUpload.partBytesStandard)
            #expect(upload.partBytes.isMultiple(of: 1 << 20))
        }
    }

    /// Any order of answers, failures and restarts ends with the whole file in the store.
    @Test(arguments: 0..<30) func whateverHappensTheFileArrivesWhole(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let size = Self.partBytes * 6 + 1
        var upload = MultipartUpload(byteCount: size, seed: seed)
        var saved = MultipartUpload.Progress()
        var store: (id: Int, parts: Set<Int>, object: Int64?) = (0, [], nil)
        var time = now
        var orders: [MultipartUpload.Order] = []
        for _ in 0..<5000 where !upload.isFinished {
            time = time + .milliseconds(Int64.random(in: 0...3000, using: &random))
            orders += upload.next(at: time)
            if Int.random(in: 0..<40, using: &random) == 0 {
                upload = MultipartUpload(byteCount: size, progress: saved, seed: seed)
                orders = []
            }
            guard !orders.isEmpty else { continue }
            let index = Int.random(in: orders.indices, using: &random)
            let order = orders.remove(at: index)
            let fails = Int.random(in: 0..<3, using: &random) == 0
            if Int.random(in: 0..<60, using: &random) == 0 {
                store = (store.id + 1, [], store.object)
            }
            switch order {
            case .save(let progress): saved = progress
            case .finished: break
            case .create:
                if fails {
                    orders += upload.failed(.unavailable, at: time)
                } else {
                    store = (store.id + 1, [], store.object)
                    orders += upload.created("\(store.id)")
                }
            case .send(let id, let number, _, _):
                if id != "\(store.id)" {
                    orders += upload.failed(.uploadGone, part: number, of: id, at: time)
                } else if fails {
                    orders += upload.failed(.unavailable, part: number, of: id, at: time)
                } else {
                    store.parts.insert(number)
                    orders += upload.sent(part(number), to: id)
                }
            case .complete(let id, let parts):
                if id != "\(store.id)" {
                    orders += upload.failed(.uploadGone, at: time)
                } else if store.parts.count < 7 {
                    orders += upload.failed(.partsRefused, at: time)
                } else {
                    #expect(parts.map(\.number) == Array(1...7))
                    store.object = size
                    // The answer may be lost.
                    store = (store.id + 1, [], size)
                    orders +=
                        fails
                        ? upload.failed(.unavailable, at: time) : upload.completed()
                }
            case .confirm:
                orders +=
                    fails
                    ? upload.failed(.unavailable, at: time)
                    : upload.confirmed(byteCount: store.object, checksum: nil, at: time)
            }
            // Progress is saved before anything else happens.
            for case .save(let progress) in orders { saved = progress }
            orders.removeAll { if case .save = $0 { true } else { false } }
        }
        #expect(upload.isFinished)
        #expect(store.object == size)
    }
}
