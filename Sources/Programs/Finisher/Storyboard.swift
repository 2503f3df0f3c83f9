import MediaKernel

/// The WebVTT file of a sprite: the time and the place of each picture, in the form for players'
/// previews (media fragments, `#xywh=`).
struct Storyboard {
    /// The sprite's file name.
    var image: String
    var columns: Int
    /// Of one picture.
    var width: Int
    var height: Int
    var frameRate: Int
    /// The first frame of each picture's time.
    var beginnings: [Int64]
    /// Frames in total.
    var end: Int64

    var text: String {
        var text = "WEBVTT\n"
        // The first picture also represents everything before it.
        let begins = [0] + beginnings.dropFirst()
        for (index, begin) in begins.enumerated() {
            let next = index + 1 < begins.count ? begins[index + 1] : end
            let x = index % columns * width
            let y = index / columns * height
            text += "\n\(time(begin)) --> \(time(next))\n"
            text += "\(image)#xywh=\(x),\(y),\(width),\(height)\n"
        }
        return text
    }

    /// `hh:mm:ss.mmm`, W3C WebVTT sect. 3.3.
    private func time(_ frame: Int64) -> String {
        let milliseconds = frame * 1000 / Int64(frameRate)
        let seconds = milliseconds / 1000
        let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        return fields.map { paddedDecimal($0, digits: 2) }.joined(separator: ":")
            + ".\(paddedDecimal(milliseconds % 1000, digits: 3))"
    }
}
