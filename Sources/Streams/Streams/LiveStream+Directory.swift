extension LiveStream {
    /// The directory of the bots' output, below the root of streams. The origin, or a web server in
    /// its place, serves no path that begins with a dot, except that the origin accepts signed
    /// URLs.
    public var directory: String {
        let isOpen = kind == .stream && !playback.isSigned
        return isOpen ? "\(room)/\(id)" : "\(room)/.\(id)"
    }
}
