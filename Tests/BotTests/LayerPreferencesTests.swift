import MediaKernel
import Pipeline
import RemoteRoom
import Stage
import Testing

@testable import Bot

@Suite struct LayerPreferencesTests {
    private static let ann: TrackID = "ann"
    private static let ben: TrackID = "ben"
    private static let all: Set<TrackID> = [ann, ben]
    private static let sizes: [TrackLayers.Layer] = [
        .init(name: .low, width: 160, height: 90),
        .init(name: .medium, width: 320, height: 180),
        .init(name: .high, width: 640, height: 360),
    ]

    private func tile(
        _ track: TrackID?, _ width: Int, _ height: Int, _ fit: TileFit = .crop
    ) -> PlacedTile {
        PlacedTile(
            peer: "peer", track: track, name: "",
            rectangle: Rectangle(x: 0, y: 0, width: width, height: height), fit: fit)
    }

    private func layers(
        of track: TrackID, _ sizes: [TrackLayers.Layer]
    ) -> TrackLayers {
        .init(
            track: track, current: .high, expected: .high, layers: sizes)
    }

    private func known(_ tracks: TrackID...) -> LayerPreferences {
        var wishes = LayerPreferences()
        wishes.roomChanged(videos: Set(tracks))
        _ = wishes.layersChanged(tracks.map { layers(of: $0, Self.sizes) })
        return wishes
    }

    @Test(arguments: [
        (640, 360, LayerPreference.high), (322, 180, .high), (320, 182, .high),
        (320, 180, .medium), (200, 90, .medium), (160, 90, .low), (40, 90, .low),
        (1280, 720, .high),
    ])
    func theSmallestLayerThatFillsTheTileIsWanted(
        width: Int, height: Int, layer: LayerPreference
    ) {
        var wishes = known(Self.ann)
        #expect(
            wishes.tilesChanged([tile(Self.ann, width, height)], among: Self.all)
                == [.init(track: Self.ann, layer: layer)])
    }

    /// A picture that is not cropped fills its tile once it reaches from one side to the other.
    @Test(arguments: [
        (640, 720, LayerPreference.high), (1000, 360, .high), (320, 400, .medium),
        (600, 90, .low), (641, 361, .high),
    ])
    func aWholePictureIsWantedNoLargerThanItIsShown(
        width: Int, height: Int, layer: LayerPreference
    ) {
        var wishes = known(Self.ann)
        #expect(
            wishes.tilesChanged([tile(Self.ann, width, height, .letterbox)], among: Self.all)
                == [.init(track: Self.ann, layer: layer)])
    }

    /// A phone's picture that is sent sideways and stands upright in its tile.
    @Test(arguments: [
        (180, 320, TileFit.crop, LayerPreference.medium), (320, 180, .crop, .high),
        (180, 600, .letterbox, .medium), (600, 320, .letterbox, .medium), (90, 160, .crop, .low),
    ])
    func aPictureThatIsTurnedFillsItsTileWithItsSidesTurned(
        width: Int, height: Int, fit: TileFit, layer: LayerPreference
    ) {
        var wishes = known(Self.ann)
        var tile = tile(Self.ann, width, height, fit)
        tile.isSideways = true
        #expect(
            wishes.tilesChanged([tile], among: Self.all) == [.init(track: Self.ann, layer: layer)])
    }

    @Test func whatIsNotOnTheCanvasIsNotWantedAndComesBackAsItsTileNeedsIt() {
        var wishes = known(Self.ann, Self.ben)
        _ = wishes.tilesChanged(
            [tile(Self.ann, 640, 360), tile(Self.ben, 640, 360)], among: Self.all)
        #expect(
            wishes.tilesChanged([tile(Self.ann, 640, 360)], among: Self.all)
                == [.init(track: Self.ben, layer: .none)])
        #expect(
            wishes.tilesChanged(
                [tile(Self.ann, 320, 180), tile(Self.ben, 160, 90)], among: Self.all)
                == [.init(track: Self.ann, layer: .medium), .init(track: Self.ben, layer: .low)])
    }

    @Test func nothingIsAskedForTwice() {
        var wishes = known(Self.ann)
        let tiles = [tile(Self.ann, 320, 180)]
        #expect(wishes.tilesChanged(tiles, among: Self.all).count == 1)
        #expect(wishes.tilesChanged(tiles, among: Self.all).isEmpty)
        #expect(wishes.layersChanged([layers(of: Self.ann, Self.sizes)]).isEmpty)
    }

    @Test func aVideoThatNoLayoutHasSeenComesAsItIs() {
        var wishes = known(Self.ann)
        _ = wishes.tilesChanged([tile(Self.ann, 640, 360)], among: [Self.ann])
        wishes.roomChanged(videos: [Self.ann, Self.ben])
        #expect(wishes.tilesChanged([tile(Self.ann, 640, 360)], among: [Self.ann]).isEmpty)
        // To refuse it and request it later would cost a key frame.
        #expect(wishes.layersChanged([layers(of: Self.ben, Self.sizes)]).isEmpty)
        #expect(
            wishes.tilesChanged([tile(Self.ann, 640, 360)], among: Self.all)
                == [.init(track: Self.ben, layer: .none)])
    }

    @Test func beforeTheFirstLayoutNothingIsAskedFor() {
        var wishes = LayerPreferences()
        wishes.roomChanged(videos: [Self.ann])
        #expect(wishes.layersChanged([layers(of: Self.ann, Self.sizes)]).isEmpty)
    }

    @Test func sizesThatBecomeKnownLaterChangeTheWish() {
        var wishes = LayerPreferences()
        wishes.roomChanged(videos: [Self.ann])
        #expect(
            wishes.tilesChanged([tile(Self.ann, 160, 90)], among: Self.all)
                == [.init(track: Self.ann, layer: .high)])
        #expect(wishes.layersChanged([layers(of: Self.ann, [])]).isEmpty)
        #expect(
            wishes.layersChanged([layers(of: Self.ann, Self.sizes)])
                == [.init(track: Self.ann, layer: .low)])
    }

    @Test func theLargestOfSeveralTilesCounts() {
        var wishes = known(Self.ann)
        let tiles = [tile(Self.ann, 160, 90), tile(Self.ann, 640, 360), tile(nil, 900, 900)]
        #expect(
            wishes.tilesChanged(tiles, among: Self.all) == [.init(track: Self.ann, layer: .high)])
    }

    @Test func aTrackThatEndedAndComesAgainIsAskedForAnew() {
        var wishes = known(Self.ann)
        let tiles = [tile(Self.ann, 160, 90)]
        _ = wishes.tilesChanged(tiles, among: Self.all)
        wishes.roomChanged(videos: [])
        #expect(wishes.tilesChanged([], among: []).isEmpty)
        wishes.roomChanged(videos: [Self.ann])
        #expect(wishes.layersChanged([layers(of: Self.ann, Self.sizes)]).isEmpty)
        #expect(
            wishes.tilesChanged(tiles, among: Self.all) == [.init(track: Self.ann, layer: .low)])
    }

    @Test func theBestOfWhatTakersWantIsAskedFor() {
        var wishes = known(Self.ann)
        let small = [tile(Self.ann, 160, 90)]
        _ = wishes.tilesChanged(small, among: Self.all)
        #expect(
            wishes.want(.high, of: Self.ann, for: .file) == [.init(track: Self.ann, layer: .high)])
        #expect(wishes.tilesChanged([], among: Self.all).isEmpty, "the file goes on")
        #expect(wishes.tilesChanged(small, among: Self.all).isEmpty)
        #expect(
            wishes.want(nil, of: Self.ann, for: .file) == [.init(track: Self.ann, layer: .low)])
    }

    @Test func anotherTakerWaitsForTheFirstLayoutToo() {
        var wishes = known(Self.ann)
        #expect(wishes.want(.low, of: Self.ann, for: .file).isEmpty)
        #expect(
            wishes.tilesChanged([], among: Self.all) == [.init(track: Self.ann, layer: .low)])
        #expect(wishes.want(.high, of: "nobody", for: .file).isEmpty)
    }

    @Test func recordedVideosAreWantedInTheirBestLayerWhateverIsShown() {
        var wishes = known(Self.ann, Self.ben)
        _ = wishes.tilesChanged([], among: Self.all)
        #expect(wishes.record([Self.ben]) == [.init(track: Self.ben, layer: .high)])
        #expect(wishes.record([Self.ben]).isEmpty)
        #expect(wishes.record([]) == [.init(track: Self.ben, layer: .none)])
    }
}
