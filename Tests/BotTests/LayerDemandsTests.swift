import MediaKernel
import RemoteRoom
import Testing

@testable import Bot

@Suite struct LayerDemandsTests {
    @Test func theBestDemandCounts() {
        var demands = LayerDemands<String>()
        #expect(demands.layer(of: "a") == nil)
        demands.set(.low, of: "a", for: "picture")
        #expect(demands.layer(of: "a") == .low)
        demands.set(.high, of: "a", for: "file")
        demands.set(LayerPreference.none, of: "a", for: "picture")
        #expect(demands.layer(of: "a") == .high)
        #expect(demands.layer(of: "b") == nil)
    }

    @Test func aTakerThatLeavesWantsNothingAnyMore() {
        var demands = LayerDemands<String>()
        demands.set(.high, of: "a", for: "file")
        demands.set(.low, of: "a", for: "picture")
        demands.set(nil, of: "a", for: "file")
        #expect(demands.layer(of: "a") == .low)
        demands.set(nil, of: "a", for: "picture")
        #expect(demands.layer(of: "a") == nil)
    }

    @Test func tracksThatAreGoneAreForgotten() {
        var demands = LayerDemands<String>()
        for track in ["a", "b"] { demands.set(.high, of: TrackID(track), for: "file") }
        demands.keep(["b"])
        #expect(demands.layer(of: "a") == nil && demands.layer(of: "b") == .high)
    }
}
