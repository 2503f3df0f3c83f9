/// What the peers of a room do.
struct Load: Sendable {
    /// Peers that have a microphone, which is all of them.
    var peers: Int
    /// So many of them speak all the time. The others are silent, and send what DTX leaves of that.
    var speaking: Int
    /// So many of them have a camera that sends `layers`.
    var cameras: Int

    /// One form of a camera's video.
    struct Layer: Sendable {
        var rid: String
        var width: Int
        var height: Int
        var bitsPerSecond: Int
    }

    /// A 360p camera in three forms, best first.
    static let layers = [
        Layer(rid: "f", width: 640, height: 360, bitsPerSecond: 450_000),
        Layer(rid: "h", width: 320, height: 180, bitsPerSecond: 150_000),
        Layer(rid: "q", width: 160, height: 90, bitsPerSecond: 60_000),
    ]
    static let framesPerSecond = 30
    /// 32 kbit/s in packets of 20 ms.
    static let soundBytes = 80

    func speaks(_ peer: Int) -> Bool { peer < speaking }
    func hasCamera(_ peer: Int) -> Bool { peer < cameras }
    /// Peers that send all the time, which are the first ones.
    var senders: Int { min(max(speaking, cameras), peers) }

    /// How many tracks a peer receives that are always sent: those of who speaks or shows.
    func expectedTracks(of peer: Int) -> Int {
        speaking - (speaks(peer) ? 1 : 0) + cameras - (hasCamera(peer) ? 1 : 0)
    }
}
