/// Audio or video that a member sends, as the bridge forwards it: always in one stream, whatever
/// layers the member sends.
struct ConferenceSource: Hashable {
    let name: SourceName
    let ssrc: UInt32
    /// The stream that repeats lost packets. RFC 4588.
    let repairSSRC: UInt32?
    let isScreen: Bool

    init(name: SourceName, ssrc: UInt32, repairSSRC: UInt32? = nil, isScreen: Bool = false) {
        self.name = name
        self.ssrc = ssrc
        self.repairSSRC = repairSSRC
        self.isScreen = isScreen
    }

    var owner: String { name.owner }
    var isVideo: Bool { name.isVideo }
}
