internal import MediaKernel

/// Recent messages and requests, for peers that may have missed them: a returning peer gets them in
/// no other way.
///
/// A room has one list, for all recipients. Bounded in events and in bytes; the oldest is
/// forgotten.
struct RecentEvents: Sendable {
    struct Entry: Sendable {
        let event: RoomEvent
        let addressees: Addressees
        let at: Instant
        let bytes: Int
        /// It is no longer for anybody.
        var isWithdrawn = false
    }

    private var entries: [Entry] = []
    private var bytes = 0
    /// The number of forgotten events.
    private var forgotten = 0

    /// The next event's number. Events are numbered from 0 in order.
    var end: Int { forgotten + entries.count }

    mutating func add(
        _ event: RoomEvent, for addressees: Addressees, at now: Instant, limits: RoomLimits
    ) {
        let entry = Entry(event: event, addressees: addressees, at: now, bytes: event.bytes)
        entries.append(entry)
        bytes += entry.bytes
        var excess = 0
        var left = bytes
        while entries.count - excess > limits.recentEvents || left > limits.recentBytes {
            left -= entries[excess].bytes
            excess += 1
        }
        forgetFirst(excess)
    }

    /// The number of the first later event.
    func first(after time: Instant) -> Int {
        forgotten + (entries.firstIndex { $0.at > time } ?? entries.count)
    }

    /// The events from that number on, unless they are forgotten.
    private func from(_ number: Int) -> ArraySlice<Entry> {
        entries.dropFirst(max(0, number - forgotten))
    }

    /// The messages and requests from that number on that a peer has missed, in order, except those
    /// that are void by now.
    func missed(by peer: Peer, from number: Int, at now: Instant) -> [RoomEvent] {
        from(number).filter { !$0.isWithdrawn && $0.addressees.include(peer) }.map(\.event).filter {
            event in
            switch event {
            case .roleOffered(let offer): peer.roleOffers.contains(offer) && offer.until > now
            case .trackMuteRequested(let track, _, _): peer.track(track.id) != nil
            default: true
            }
        }
    }

    /// Messages that were deleted are missed by nobody. The numbers of the others stay.
    mutating func withdraw(_ messages: Set<String>) {
        guard !messages.isEmpty else { return }
        for index in entries.indices {
            guard case .messageSent(let message) = entries[index].event else { continue }
            if messages.contains(message.id) { entries[index].isWithdrawn = true }
        }
    }

    /// Forgets earlier events.
    mutating func forget(before time: Instant) {
        forgetFirst(entries.firstIndex { $0.at >= time } ?? entries.count)
    }

    private mutating func forgetFirst(_ count: Int) {
        guard count > 0 else { return }
        bytes -= entries.prefix(count).reduce(0) { $0 + $1.bytes }
        entries.removeFirst(count)
        forgotten += count
    }
}

extension RoomEvent {
    /// The approximate size of the notification, in bytes.
    fileprivate var bytes: Int {
        switch self {
        case .messageSent(let message):
            let texts = [message.body.text, message.type, message.sender?.metadata ?? ""]
            return texts.reduce(512) { $0 + $1.utf8.count }
        case .noticed(let notice): return 512 + notice.body.bytes
        default: return 512
        }
    }
}
