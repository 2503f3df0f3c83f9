import Codec
import Compositor
import Foundation
import MediaKernel
import Stage
import Testing

/// Rendered pictures of every layout, compared with reviewed pictures.
///
/// `make goldens` renders them again. Reviewing its changes is the review of the pictures.
@Suite struct GoldenPictureTests {
    /// The lowest structural similarity of the whole, and of the worst window, that counts as the
    /// same picture. A missing label leaves its windows near 0.2.
    static let similarity = 0.985
    static let worstSimilarity = 0.55
    /// Mean difference of colour in the worst window, of 255.
    static let worstColour = 24.0

    private static let isRefreshing = ProcessInfo.processInfo.environment["GOLDENS"] == "write"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden")

    private static let sheets: [String: [GoldenScene]] = [
        "grid": (1...25).map { GoldenScene(Layout(gap: 8, margin: 8, cornerRadius: 12), $0) },
        "speaker": (1...25).map { GoldenScene(Layout(name: .speaker, gap: 6), $0) },
        "screen": (1...25).map {
            GoldenScene(Layout(name: .screen, gap: 8, margin: 8, cornerRadius: 8), $0, screens: 1)
        },
        "single": (1...25).map {
            GoldenScene(Layout(name: .single, focus: .peer("p\($0 - 1)")), $0)
        },
        "pip": (1...25).map {
            GoldenScene(
                Layout(
                    name: .pip, fit: $0.isMultiple(of: 2) ? .crop : .letterbox, margin: 16,
                    cornerRadius: 20, inset: Layout.Anchor.allCases[$0 % 4]), $0,
                hasBackground: true)
        },
        "portrait": [1, 2, 3, 5, 9, 25].flatMap { count in
            LayoutName.allCases.map {
                GoldenScene(
                    Layout(name: $0, gap: 4), count, screens: $0 == .screen ? 1 : 0,
                    on: Canvas(width: 360, height: 640))
            }
        },
        "square": [1, 2, 4, 7, 25].flatMap { count in
            LayoutName.allCases.map {
                GoldenScene(
                    Layout(name: $0, gap: 4, cornerRadius: 6, showsNames: count != 4), count,
                    screens: $0 == .screen ? 1 : 0, on: Canvas(width: 480, height: 480),
                    hasWatermark: true)
            }
        },
    ]

    @Test(arguments: sheets.keys.sorted())
    func aLayoutLooksAsItDid(name: String) throws {
        let scenes = try #require(Self.sheets[name])
        let sheet = try ContactSheet(scenes.map { try $0.render() }, columns: 5)
        let file = Self.folder.appending(path: "\(name).png")
        if Self.isRefreshing { try sheet.write(to: file) }
        let golden = try ContactSheet(png: Data(contentsOf: file))
        #expect(golden.width == sheet.width && golden.height == sheet.height)
        let comparison = sheet.compared(to: golden)
        #expect(comparison.similarity >= Self.similarity)
        #expect(comparison.worst >= Self.worstSimilarity, "near \(comparison.worstPlace)")
        #expect(comparison.worstColour <= Self.worstColour)
    }

    @Test func aMissingLabelMarkOrBorderIsSeen() throws {
        let whole = GoldenScene(Layout(gap: 8, margin: 8, cornerRadius: 12), 9)
        var unnamed = whole
        unnamed.layout.showsNames = false
        var unmarked = whole
        unmarked.layout.marksSpeaker = false
        var unmuted = whole
        unmuted.mutesSome = false
        let golden = try ContactSheet([whole.render()], columns: 1)
        #expect(try ContactSheet([whole.render()], columns: 1).compared(to: golden).worst == 1)
        for changed in [unnamed, unmarked, unmuted] {
            let comparison = try ContactSheet([changed.render()], columns: 1).compared(to: golden)
            #expect(comparison.worst < Self.worstSimilarity)
        }
    }
}
