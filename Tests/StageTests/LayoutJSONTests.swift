import Foundation
import MediaKernel
import Stage
import Testing

@Suite struct LayoutJSONTests {
    private func error(_ json: JSONValue, over layout: Layout = Layout()) -> String? {
        var layout = layout
        do throws(LayoutError) {
            try layout.merge(json)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let layouts = [
            Layout(),
            Layout(
                name: .speaker, roles: ["host", "guest"], order: .role, tilesMaximum: 9,
                focus: .peer("Ann"), fit: .letterbox, gap: 8, margin: 12, cornerRadius: 16,
                background: RGB(red: 1, green: 2, blue: 255),
                backgroundImage: "https://example.com/a.png",
                watermark: .init(
                    image: "https://example.com/w.png", anchor: .bottomLeft, opacity: 0.5,
                    width: 0.2),
                defaultPicture: "https://example.com/p.png", showsNames: false, marksSpeaker: false,
                inset: .topLeft,
                transition: .milliseconds(500)),
            Layout(name: .single, focus: .role("host")),
        ]
        for layout in layouts {
            var read = layouts[1]
            try read.merge(layout.json)
            #expect(read == layout)
        }
    }

    @Test func aChangeLeavesTheRestAndNullPutsBack() throws {
        var layout = Layout(name: .speaker, gap: 8, cornerRadius: 4)
        try layout.merge(.object(["gap": .integer(2), "corner_radius": .null]))
        #expect(layout == Layout(name: .speaker, gap: 2))
        try layout.merge(
            .object(["watermark": .object(["image": .string("https://e.org/w.png")])]))
        try layout.merge(.object(["watermark": .object(["opacity": .integer(1)])]))
        #expect(layout.watermark == .init(image: "https://e.org/w.png", opacity: 1))
        try layout.merge(.object(["background": .object(["color": .string("#FF0080")])]))
        #expect(layout.background == RGB(red: 255, green: 0, blue: 128))
        try layout.merge(.object(["watermark": .null, "background": .null]))
        #expect(layout == Layout(name: .speaker, gap: 2))
        #expect(layout.images.isEmpty)
    }

    @Test func anUploadedPictureIsNamedByItsDigits() throws {
        let hash = [0x0A] + [UInt8](repeating: 0xF1, count: 31)
        let picture = try #require(UploadedPicture(hash: hash)).text
        #expect(picture == "picture:0a" + String(repeating: "f1", count: 15))
        var layout = Layout()
        try layout.merge(.object(["background": .object(["image": .string(picture)])]))
        try layout.merge(.object(["watermark": .object(["image": .string(picture)])]))
        #expect(layout.images == [picture, picture])
        var read = Layout()
        try read.merge(layout.json)
        #expect(read == layout)
    }

    @Test func whatIsWrongIsNamed() {
        let image = "the http or https URL of an image, or the name of an uploaded one"
        let rows: [(JSONValue, String)] = [
            (.array([]), "layout must be an object"),
            (.object(["colour": .null]), "layout.colour is not known"),
            (
                .object(["name": .string("circle")]),
                "layout.name must be one of grid, speaker, screen, single, pip"
            ),
            (.object(["gap": .integer(401)]), "layout.gap must be a whole number from 0 to 400"),
            (.object(["gap": .number(1.5)]), "layout.gap must be a whole number from 0 to 400"),
            (.object(["gap": .string("4")]), "layout.gap must be a whole number from 0 to 400"),
            (
                .object(["max_tiles": .integer(26)]),
                "layout.max_tiles must be a whole number from 1 to 25"
            ),
            (.object(["names": .integer(1)]), "layout.names must be true or false"),
            (
                .object(["roles": .array([.integer(1)])]),
                "layout.roles must be a list of at most 100 role names"
            ),
            (
                .object(["inset": .string("center")]),
                "layout.inset must be one of top_left, top_right, bottom_left, bottom_right"
            ),
            (
                .object(["default_picture": .string("p.png")]),
                "layout.default_picture must be \(image)"
            ),
            (
                .object(["background": .object(["color": .string("red")])]),
                "layout.background.color must be a colour like #16181f"
            ),
            (
                .object(["background": .object(["x": .null])]),
                "layout.background.x is not known"
            ),
            (
                .object(["watermark": .object(["opacity": .number(0.5)])]),
                "layout.watermark.image must be \(image)"
            ),
            (
                .object(["watermark": .object(["image": .string("file:///etc/passwd")])]),
                "layout.watermark.image must be \(image)"
            ),
            (
                .object(["background": .object(["image": .string("picture:../.bot.json")])]),
                "layout.background.image must be \(image)"
            ),
            (
                .object(["focus": .object([:])]),
                "layout.focus must be an object with either peer or role"
            ),
            (
                .object(["focus": .object(["peer": .string("a"), "role": .string("b")])]),
                "layout.focus must be an object with either peer or role"
            ),
        ]
        for (json, expected) in rows { #expect(error(json) == expected) }
    }

    @Test func allFieldsThatNoLayoutHasAreToldWithTheNearestOnes() {
        let typed = JSONValue.object([
            "nmae": .string("grid"), "fitt": .null, "gap": .string("wide"), "zoom": .integer(1),
            "watermark": .object(["postion": .string("center")]),
            "background": .object(["Color": .string("#000000")]),
            "focus": .object(["rolle": .string("host")]),
        ])
        #expect(
            error(typed)?.components(separatedBy: "; layout") == [
                "layout.fitt is not known; did you mean fit?",
                ".nmae is not known; did you mean name?", ".zoom is not known",
                ".focus.rolle is not known; did you mean role?",
                ".background.Color is not known; did you mean color?",
                ".watermark.postion is not known; did you mean position?",
            ])
        let many = (0..<5000).map { ("gapp\($0)", JSONValue.null) }
        let told = error(.object(Dictionary(uniqueKeysWithValues: many)))
        #expect(told?.components(separatedBy: "; layout").count == 10)
        let long = String(repeating: "gap", count: 100)
        #expect(error(.object([long: .null])) == "layout.\(long.prefix(64)) is not known")
    }

    @Test func aRefusedChangeChangesNothing() {
        var layout = Layout(gap: 3)
        #expect {
            try layout.merge(.object(["gap": .integer(9), "name": .integer(1)]))
        } throws: { error in
            if case LayoutError.invalid("layout.name", _) = error { true } else { false }
        }
        #expect(layout == Layout(gap: 3))
    }

    @Test func coloursAreSixDigits() {
        for text in ["", "#", "#12345", "#1234567", "123456", "#+12345", "#12345g", "#１２３４５６"] {
            #expect(RGB(text) == nil, "\(text)")
        }
        #expect(RGB("#0a0B0c")?.description == "#0a0b0c")
    }
}
