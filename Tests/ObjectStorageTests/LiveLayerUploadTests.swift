import MediaKernel
import ObjectStorage
import Testing

@Suite("Upload of a live layer")
struct LiveLayerUploadTests {
    private static let start = UnixTime(seconds: 1_760_000_000)

    private static func upload(
        _ progress: LiveLayerUpload.Progress = LiveLayerUpload.Progress()
    ) -> LiveLayerUpload {
        LiveLayerUpload(progress: progress, delayMaximum: .seconds(5), seed: 1)
    }

    /// Carries out all orders.
    private static func run(
        _ upload: inout LiveLayerUpload, at now: UnixTime = start
    ) -> [LiveLayerUpload.Order] {
        var orders: [LiveLayerUpload.Order] = []
        while let order = upload.next(at: now) {
            orders.append(order)
            upload.succeeded(order)
        }
        return orders
    }

    @Test("Segments go before the playlist that names them")
    func order() {
        var upload = Self.upload()
        #expect(upload.next(at: Self.start) == nil)
        upload.listed(0..<2, isLast: false)
        #expect(
            Self.run(&upload) == [.put(0), .put(1), .publish(end: 2, isLast: false)])
        #expect(upload.isPublished)
        upload.listed(0..<3, isLast: false)
        #expect(Self.run(&upload) == [.put(2), .publish(end: 3, isLast: false)])
        upload.listed(0..<3, isLast: true)
        #expect(Self.run(&upload) == [.publish(end: 3, isLast: true)])
        #expect(upload.isFinished)
        #expect(upload.progress == .init(first: 0, next: 3, isEnded: true))
    }

    @Test("Of playlists that came while the store was slow only the newest is put")
    func coalescing() {
        var upload = Self.upload()
        upload.listed(0..<1, isLast: false)
        let put = upload.next(at: Self.start)
        #expect(put == .put(0))
        upload.listed(0..<4, isLast: false)
        upload.succeeded(.put(0))
        #expect(upload.waiting == 3)
        #expect(
            Self.run(&upload) == [
                .put(1), .put(2), .put(3), .publish(end: 4, isLast: false),
            ])
    }

    @Test("What was missed is made good in steps that viewers can see")
    func batches() {
        var upload = Self.upload()
        upload.listed(0..<20, isLast: true)
        let orders = Self.run(&upload)
        let published = orders.filter { if case .publish = $0 { true } else { false } }
        #expect(
            published == [
                .publish(end: 8, isLast: false), .publish(end: 16, isLast: false),
                .publish(end: 20, isLast: true),
            ])
        #expect(LiveLayerUpload.batchMaximum == 8)
    }

    @Test("After a failure the same is ordered again, later and later, for as long as it takes")
    func failures() {
        var upload = Self.upload()
        upload.listed(0..<1, isLast: false)
        var now = Self.start
        var pauses: [Duration] = []
        for count in 1...200 {
            #expect(upload.next(at: now) == .put(0))
            upload.failed(at: now)
            #expect(upload.failures == count)
            #expect(upload.next(at: now) == nil)
            let until = upload.pausedUntil ?? now
            pauses.append(until - now)
            #expect(upload.next(at: UnixTime(nanoseconds: until.nanoseconds - 1)) == nil)
            now = until
        }
        #expect(pauses[0] >= .milliseconds(500) && pauses[0] <= .milliseconds(625))
        #expect(pauses.allSatisfy { $0 <= .milliseconds(6250) })
        #expect(pauses.suffix(100).allSatisfy { $0 >= .seconds(5) })
        #expect(Self.run(&upload, at: now) == [.put(0), .publish(end: 1, isLast: false)])
        #expect(upload.failures == 0)
    }

    @Test("What leaves the window is removed when nobody can have a playlist that names it")
    func window() {
        var upload = Self.upload()
        var removed: [Int] = []
        for end in 1...30 {
            let listed = max(0, end - 6)..<end
            upload.listed(listed, isLast: end == 30)
            for case .remove(let number) in Self.run(&upload) {
                #expect(number < listed.lowerBound - listed.count - LiveLayerUpload.margin)
                removed.append(number)
            }
        }
        // The last playlist and its segments stay, so nothing is removed after it.
        #expect(removed == Array(0..<15))
        #expect(upload.progress == .init(first: 15, next: 30, isEnded: true))
    }

    @Test("Segments that left the window while the store was away are passed over")
    func gap() {
        var upload = Self.upload()
        upload.listed(0..<6, isLast: false)
        _ = Self.run(&upload)
        upload.listed(300..<306, isLast: false)
        let orders = Self.run(&upload)
        #expect(
            orders.prefix(7) == [
                .put(300), .put(301), .put(302), .put(303), .put(304), .put(305),
                .publish(end: 306, isLast: false),
            ])
        #expect(orders.contains(.remove(0)))
        #expect(!orders.contains(.remove(300)))
    }

    @Test("A window that moved past all that was put holds nothing up")
    func windowPassed() {
        for isRestarted in [false, true] {
            var upload = Self.upload(isRestarted ? .init(first: 0, next: 6) : .init())
            if !isRestarted {
                upload.listed(0..<6, isLast: false)
                _ = Self.run(&upload)
            }
            // These are stored, but the playlist that names them is not.
            upload.listed(6..<20, isLast: false)
            for _ in 0..<LiveLayerUpload.batchMaximum {
                upload.next(at: Self.start).map { upload.succeeded($0) }
            }
            #expect(upload.next(at: Self.start) == .publish(end: 14, isLast: false))
            upload.listed(14..<20, isLast: false)
            #expect(
                Self.run(&upload).prefix(8) == [
                    .put(14), .publish(end: 15, isLast: false), .put(15), .put(16), .put(17),
                    .put(18), .put(19), .publish(end: 20, isLast: false),
                ])
        }
    }

    @Test("After a restart it goes on where it was, and says once more what is there")
    func restart() {
        var upload = Self.upload(.init(first: 0, next: 7))
        upload.listed(0..<9, isLast: true)
        #expect(
            Self.run(&upload) == [.put(7), .put(8), .publish(end: 9, isLast: true)])
        var ended = Self.upload(upload.progress)
        ended.listed(0..<9, isLast: true)
        #expect(ended.next(at: Self.start) == nil)
        #expect(ended.isFinished && ended.isPublished)
    }

    @Test("A layer that ended without a segment is finished, and nothing is there")
    func empty() {
        var upload = Self.upload()
        upload.listed(0..<0, isLast: true)
        #expect(upload.next(at: Self.start) == nil)
        #expect(upload.isFinished && !upload.isPublished)
    }

    @Test(
        "Whatever fails in whatever sequence, no playlist names what is not there",
        arguments: 0..<20)
    func chance(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var upload = Self.upload()
        var stored: Set<Int> = []
        var named: Range<Int> = 0..<0
        var now = Self.start
        var listed = 0..<0
        let window = seed.isMultiple(of: 2) ? Int.max : 6
        for _ in 0..<600 {
            now = now + .milliseconds(Int.random(in: 0...900, using: &random))
            if Int.random(in: 0..<3, using: &random) == 0 {
                let end = listed.upperBound + Int.random(in: 0...3, using: &random)
                listed = (end > window ? end - window : 0)..<end
                upload.listed(listed, isLast: false)
            }
            if Int.random(in: 0..<50, using: &random) == 0 {
                upload = Self.upload(upload.progress)
                upload.listed(listed, isLast: false)
            }
            guard let order = upload.next(at: now) else { continue }
            let isAnswered = Int.random(in: 0..<3, using: &random) > 0
            // An order without an answer may still have been carried out.
            if isAnswered || Bool.random(using: &random) {
                switch order {
                case .put(let number): stored.insert(number)
                case .publish(let end, _):
                    #expect(end > listed.lowerBound)
                    named = listed.lowerBound..<end
                    #expect(named.allSatisfy { stored.contains($0) })
                case .remove(let number):
                    stored.remove(number)
                    #expect(!named.contains(number))
                }
            }
            if isAnswered { upload.succeeded(order) } else { upload.failed(at: now) }
        }
        upload.listed(listed, isLast: true)
        for case .put(let number) in Self.run(&upload, at: now + .seconds(60)) {
            stored.insert(number)
        }
        #expect(upload.isFinished)
        #expect(listed.allSatisfy { stored.contains($0) })
    }
}
