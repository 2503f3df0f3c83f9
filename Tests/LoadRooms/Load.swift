/// The activity of a room's peers.
struct Load: Sendable {
    /// The number of peers; all have a microphone.
    var peers: Int
    /// The number of peers that speak all the time. The others are silent, and send only DTX
    /// updates.
    var speaking: Int
    /// The number of peers with a camera that sends `layers`.
    var cameras: Int

    /// One layer of a camera's video.
    struct Layer: Sendable {
        var rid: String
        var width: Int
        var height: Int
        var bitsPerSecond: Int
    }

    /// A 360p camera in three layers, best first.
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
    /// The number of peers that send all the time; they are the first ones.
    var senders: Int { min(max(speaking, cameras), peers) }

    /// The number of permanently sent tracks that a peer receives: those of speakers and cameras.
    func expectedTracks(of peer: Int) -> Int {
        speaking - (speaks(peer) ? 1 : 0) + cameras - (hasCamera(peer) ? 1 : 0)
    }
}
