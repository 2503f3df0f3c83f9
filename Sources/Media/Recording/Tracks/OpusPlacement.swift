import Ogg

/// Puts packets of sound on a time line without holes, so that every player keeps time: where
/// packets are missing there is silence, and nothing that follows is shifted.
///
/// A packet follows the previous one directly while it belongs within one packet of silence of that
/// place: so clocks that drift apart cost a packet of silence now and then, or a packet that is left
/// out, and the error never exceeds that and never accumulates.
struct OpusPlacement {
    struct Place: Hashable {
        /// Packets of silence to insert before the packet.
        var silences: Int
        /// Whether the packet is left out: its time is taken already.
        var isLeftOut: Bool
    }

    /// Samples so far.
    private(set) var end: Int64 = 0

    /// - Parameters:
    ///   - target: where the packet belongs, in samples from the beginning.
    ///   - samples: its length.
    mutating func place(at target: Int64, samples: Int64) -> Place {
        let silence = OpusPacket.silenceSamples
        if target <= end - silence { return Place(silences: 0, isLeftOut: true) }
        let count = target >= end + silence ? (target - end + silence / 2) / silence : 0
        end += count * silence + samples
        return Place(silences: Int(count), isLeftOut: false)
    }
}
