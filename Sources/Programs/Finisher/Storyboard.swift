import MediaKernel

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
        let seconds = milliseconds / 1000
        let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60]
        return fields.map { paddedDecimal($0, digits: 2) }.joined(separator: ":")
            + ".\(paddedDecimal(milliseconds % 1000, digits: 3))"
    }
}
