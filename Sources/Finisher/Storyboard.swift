/// The WebVTT file beside a sheet of pictures: when each of them is shown, and where on the sheet it
/// is, as players' previews read it (media fragments, `#xywh=`).
struct Storyboard {
    /// The sheet's file name.
    var image: String
    var columns: Int
    /// Of one picture.
    var width: Int
    var height: Int
    var frameRate: Int
    /// The frames from which on the pictures are shown.
    var beginnings: [Int64]
    /// Frames of the whole.
    var end: Int64

    var text: String {
        var text = "WEBVTT\n"
        // A picture stands for what comes before it too where it is the first.
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
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let seconds = milliseconds / 1000
        return "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2))"
            + ":\(digits(seconds % 60, 2)).\(digits(milliseconds % 1000, 3))"
    }
}
