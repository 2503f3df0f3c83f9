/// The allowed sizes of a page of any list.
public enum PageLimit {
    public static let range = 10...100

    public static func clamped(_ limit: Int) -> Int {
        min(max(limit, range.lowerBound), range.upperBound)
    }
}
