import Codec
import Compositor
import Stage

/// The appearance of the whole picture, apart from the tiles' places.
struct Look: Equatable {
    private var fit: TileFit
    private var cornerRadius: Int
    private var showsNames: Bool
    private var marksSpeaker: Bool
    private(set) var dressing: Decorations

    /// Without images.
    init(_ layout: Layout) {
        fit = layout.fit
        cornerRadius = layout.cornerRadius
        showsNames = layout.showsNames
        marksSpeaker = layout.marksSpeaker
        dressing = Decorations(background: Colour(layout.background))
    }

    /// The look that a layout asks for, with the available images. An image that is still loading
    /// leaves its predecessor in place.
    func following(_ layout: Layout, _ images: Gallery) -> Look {
        var next = Look(layout)
        if let address = layout.backgroundImage {
            next.dressing.backgroundPicture =
                images.isAwaited(address) ? dressing.backgroundPicture : images[address]
        }
        if let mark = layout.watermark {
            next.dressing.watermark =
                images.isAwaited(mark.image)
                ? dressing.watermark
                : images[mark.image].map {
                    Decorations.Watermark(
                        picture: $0, anchor: mark.anchor, opacity: mark.opacity, width: mark.width)
                }
        }
        return next
    }
}

extension Colour {
    fileprivate init(_ colour: RGB) {
        self.init(red: colour.red, green: colour.green, blue: colour.blue)
    }
}
