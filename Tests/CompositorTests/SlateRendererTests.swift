import Codec
import Foundation
import MediaKernel
import Testing

@testable import Compositor

@Suite struct SlateRendererTests {
    private func brightPixels(_ frame: VideoFrame, rows: Range<Int>) -> Int {
        frame.withPlanes { planes in
            rows.reduce(0) { sum, y in
                sum + (0..<planes.y.width).count { planes.y[$0, y] > 100 }
            }
        }
    }

    @Test func theSlateIsDarkAndCarriesText() throws {
        let slate = try SlateRenderer().slate(width: 1280, height: 720, room: "Weekly sync")
        let corner = slate.withPlanes { $0.y[5, 5] }
        #expect(abs(Int(corner) - Int(SlateRenderer.background.luma)) <= 1)
        // The lines of the product, the room and the message.
        for rows in [180..<225, 310..<355, 395..<440] {
            #expect(brightPixels(slate, rows: rows) > 100, "\(rows)")
        }
        #expect(brightPixels(slate, rows: 600..<720) == 0)
    }

    @Test func picturesAreDrawnOnce() throws {
        let renderer = SlateRenderer()
        let slate = try renderer.slate(width: 320, height: 180, room: "a")
        #expect(try renderer.slate(width: 320, height: 180, room: "a") === slate)
        #expect(try renderer.slate(width: 320, height: 180, room: "b") !== slate)
        let ann = StandIn.peer("p", initialsOf: "Ann Lee", name: "Ann Lee", picture: nil)
        let tile = try renderer.standIn(ann, width: 320, height: 180)
        #expect(try renderer.standIn(ann, width: 320, height: 180) === tile)
        let others = try renderer.standIn(.others(3), width: 320, height: 180)
        #expect(try renderer.standIn(.others(3), width: 320, height: 180) === others)
        #expect(try renderer.standIn(.others(4), width: 320, height: 180) !== others)
        for n in 0..<SlateRenderer.cachedMaximum {
            _ = try renderer.slate(width: 32, height: 32, room: "\(n)")
        }
        #expect(try renderer.slate(width: 320, height: 180, room: "a") !== slate)
    }

    @Test(arguments: [(1, 1), (16, 16), (90, 640), (427, 241), (1920, 1080)])
    func anySizeAndAnyNameIsDrawn(width: Int, height: Int) throws {
        let renderer = SlateRenderer()
        let names = [
            "", "Ann", "Zoë van der Berg", "日本語 の名前", "👩‍👩‍👧 family",
            "<b>&amp;</b>", "line\nbreak\u{0}\u{7}", "\u{202E}right to left",
            String(repeating: "wide ", count: 400),
        ]
        for name in names {
            let frame = try renderer.placeholder(
                width: width, height: height, peer: PeerID(name), initialsOf: name, name: name)
            #expect(frame.width == width && frame.height == height)
            _ = try renderer.slate(width: width, height: height, room: name, message: name)
        }
    }

    @Test func aMachineWithoutFontsGetsPicturesWithoutText() async {
        // In its own process, because fontconfig reads its configuration once.
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "roomcast-no-fonts-\(getpid()).conf"
            try Data("<fontconfig><dir>/nonexistent</dir></fontconfig>".utf8)
                .write(to: URL(filePath: path))
            setenv("FONTCONFIG_FILE", path, 1)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let slate = try SlateRenderer().slate(width: 320, height: 180, room: "Room")
            // The accent line is drawn, the text is not.
            let bright = slate.withPlanes { planes in
                (0..<180).filter { y in (0..<320).contains { planes.y[$0, y] > 100 } }
            }
            try #require(!bright.isEmpty && bright.allSatisfy { (64..<68).contains($0) })
        }
    }

    @Test func impossibleSizesAreRefused() {
        #expect(throws: CodecError.pictureSize(width: 0, height: 10)) {
            try SlateRenderer().slate(width: 0, height: 10, room: "")
        }
        #expect(throws: CodecError.pictureSize(width: 10, height: 100_000)) {
            try SlateRenderer().standIn(.others(1), width: 10, height: 100_000)
        }
    }

    @Test func initialsAreOfTheFirstAndTheLastWord() {
        #expect(SlateRenderer.initials(of: "ann") == "A")
        #expect(SlateRenderer.initials(of: "Ann Marie Lee") == "AL")
        #expect(SlateRenderer.initials(of: "  élan   vital ") == "ÉV")
        #expect(SlateRenderer.initials(of: " ") == "")
        #expect(SlateRenderer.line("a\nb\u{0}c") == "abc")
    }

    /// As on the pages: `test_a_person_has_one_colour` in Tests/EndToEnd has the same rows.
    @Test(arguments: [
        ("1", "Ann", 38),
        ("2", " ANN ", 38),
        ("3", "Dora Lind", 38),
        ("4", "Zoë Ñandú", 92),
        ("5", "한국어", 158),
        ("6", "🎉 Party", 322),
        ("peer-7", "", 190),
    ])
    func aPersonHasTheColourThatThePagesHave(id: String, name: String, degrees: Int) {
        let colour = DrawingColour(
            hue: Double(degrees) / 360, saturation: 0.22, lightness: 0.22)
        #expect(DrawingColour(of: PeerID(id), named: name) == colour)
        #expect(SlateRenderer.colour(of: PeerID(id), named: name).luma < 80)
        #expect(
            DrawingColour.disc(of: PeerID(id), named: name)
                == DrawingColour(hue: Double(degrees) / 360, saturation: 0.34, lightness: 0.34))
    }

    @Test func thereAreEightColoursOfPeople() {
        let colours = (0..<200).map { DrawingColour(of: "", named: "person \($0)") }
        #expect(Set(colours).count == 8)
    }
}
