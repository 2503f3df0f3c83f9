import Codec
import Compositor
import Stage
import Testing

@testable import Pipeline

@Suite struct LookTests {
    private let first = StillPicture(
        width: 2, height: 2, pixels: [UInt8](repeating: 255, count: 16))
    private let second = StillPicture(
        width: 2, height: 2, pixels: [UInt8](repeating: 100, count: 16))

    private func layout(_ image: String?) -> Layout {
        Layout(backgroundImage: image, watermark: image.map { Layout.Watermark(image: $0) })
    }

    private func numbers(_ look: Look) -> [UInt64?] {
        [look.dressing.backgroundPicture?.number, look.dressing.watermark?.picture.number]
    }

    @Test func anImageStaysUntilTheNextHasComeOrIsGivenUp() {
        var images = Gallery()
        images.keep(only: ["first"])
        var look = Look(layout("first")).following(layout("first"), images)
        #expect(numbers(look) == [nil, nil])
        images.set(first, at: "first")
        look = look.following(layout("first"), images)
        #expect(numbers(look) == [first.number, first.number])
        // Its address is no longer named.
        images.keep(only: ["second"])
        look = look.following(layout("second"), images)
        #expect(numbers(look) == [first.number, first.number])
        images.set(second, at: "second")
        look = look.following(layout("second"), images)
        #expect(numbers(look) == [second.number, second.number])
        images.keep(only: ["third"])
        look = look.following(layout("third"), images)
        #expect(numbers(look) == [second.number, second.number])
        images.set(nil, at: "third")
        look = look.following(layout("third"), images)
        #expect(numbers(look) == [nil, nil])
        // Once named again, it may still arrive.
        images.expect(["third"])
        #expect(images.isAwaited("third"))
    }

    @Test func whatNobodyNamesIsNotKept() {
        var images = Gallery()
        images.set(first, at: "first")
        images.set(nil, at: "second")
        #expect(images["first"] == nil && images.isAwaited("second"))
        images.keep(only: ["first"])
        images.set(first, at: "first")
        #expect(images["first"]?.number == first.number)
        images.keep(only: ["second"])
        #expect(images["first"] == nil)
    }

    @Test func whatIsNotAskedForIsGoneAtOnce() {
        var images = Gallery()
        images.keep(only: ["first"])
        images.set(first, at: "first")
        let look = Look(Layout()).following(layout("first"), images)
        #expect(numbers(look.following(layout(nil), images)) == [nil, nil])
    }

    @Test func looksThatDifferInPlacesOnlyAreEqual() {
        let images = Gallery()
        let look = Look(Layout())
        for other in [
            Layout(name: .speaker), Layout(gap: 8), Layout(margin: 8), Layout(tilesMaximum: 3),
            layout("on its way"),
        ] {
            #expect(look.following(other, images) == look)
        }
        for other in [
            Layout(fit: .letterbox), Layout(cornerRadius: 8), Layout(showsNames: false),
            Layout(background: RGB(red: 255, green: 0, blue: 0)), Layout(marksSpeaker: false),
        ] {
            #expect(look.following(other, images) != look)
        }
    }
}
