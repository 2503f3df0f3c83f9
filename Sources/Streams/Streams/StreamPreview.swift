/// Small pictures of what a stream shows, for those who direct it: a JPEG that is replaced about
/// once a second while somebody looks. Nothing is made while nobody does.
public enum StreamPreview {
    /// In the stream's directory, hidden: the origin never serves it.
    public static let fileName = ".preview.jpg"
    public static let interval: Duration = .seconds(1)
    /// The longer side of the picture, in pixels.
    public static let sideMaximum = 480
    /// How long pictures are made after somebody has looked.
    public static let wishSeconds = 5
    /// A bot is told of wishes at most this often.
    public static let wishInterval: Duration = .seconds(2)
    /// An older picture shows nothing of the present, and is not given out.
    public static let ageMaximum: Duration = .seconds(10)

    /// Of a picture that is scaled down to fit; both sides even, as a JPEG's chroma wants it.
    public static func size(of width: Int, _ height: Int) -> (width: Int, height: Int) {
        let longer = max(width, height, 1)
        func side(_ length: Int) -> Int {
            let scaled = longer > sideMaximum ? length * sideMaximum / longer : length
            return max(2, scaled / 2 * 2)
        }
        return (side(width), side(height))
    }
}
