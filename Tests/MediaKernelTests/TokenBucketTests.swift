import MediaKernel
import Testing

@Suite struct TokenBucketTests {
    @Test func aBurstPassesAndThenWhatComesBack() {
        var bucket = TokenBucket(rate: 2, burst: 3, at: .zero)
        let first = (0..<4).map { _ in bucket.take(at: .zero) }
        #expect(first == [true, true, true, false])
        let early = bucket.take(at: .zero + .milliseconds(499))
        #expect(!early)
        let inTime = bucket.take(at: .zero + .milliseconds(500))
        #expect(inTime)
        let tooMany = bucket.take(4, at: .zero + .seconds(100))
        #expect(!tooMany)
        let whole = bucket.take(3, at: .zero + .seconds(100))
        #expect(whole)
    }

    @Test func whatIsOwedIsPaidBackFirst() {
        var bucket = TokenBucket(rate: 1, burst: 2, at: .zero)
        for _ in 0..<5 { bucket.charge(at: .zero) }
        let owing = bucket.take(at: .zero + .milliseconds(3999))
        #expect(!owing)
        let paid = bucket.take(at: .zero + .seconds(4))
        #expect(paid)
    }
}
