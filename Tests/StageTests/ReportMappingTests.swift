import MediaKernel
import Testing

@testable import Stage

@Suite struct ReportMappingTests {
    private static let second: Int64 = 1_000_000_000

    /// One report per second.
    private func mapping(_ offsets: [Int64]) -> ReportMapping {
        var mapping = ReportMapping()
        for (index, offset) in offsets.enumerated() {
            mapping.reported(offset: offset, at: .zero + .seconds(index))
        }
        return mapping
    }

    @Test func reportsThatContradictEachOtherAreNotBelieved() {
        #expect(mapping([0, Self.second, 2 * Self.second, 3 * Self.second]).offset == nil)
    }

    @Test func oneThatAgreesMakesUpForThoseThatDoNot() {
        let wild = [Self.second, 2 * Self.second]
        #expect(mapping([0] + wild + [0] + wild + [0] + wild).offset == 0)
    }

    /// The first ones are as good as any; later ones jitter by the time until they were written.
    @Test func fromTheThirdOnTheyAreSmoothed() {
        #expect(mapping([0, 10_000_000]).offset == 10_000_000)
        #expect(mapping([0, 0, 10_000_000]).offset == 10_000_000)
        #expect(mapping([0, 0, 0, 10_000_000]).offset == 5_000_000)
    }
}
