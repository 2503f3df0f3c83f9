/// Collects the lines that describe payload types, which may come in any order, and ties them
/// together at the end of the section.
struct CodecLines {
    private struct Entry {
        var name: String?
        var clockRate = 0
        var channels: Int?
        var parameters = FormatParameters()
        var feedback: [String] = []
    }

    /// In the order of the `m=` line.
    private var order: [UInt8] = []
    private var entries: [UInt8: Entry] = [:]
    private var unexplained: [String] = []
    /// `rtcp-fb:* …` holds for every payload type. RFC 4585 sect. 4.2.
    private var sharedFeedback: [String] = []

    /// A format of an RTP `m=` line.
    mutating func add(format: Substring, _ line: SDPLine) throws(SDPError) {
        guard let payloadType: UInt8 = format.decimal(), payloadType < 128 else {
            throw line.malformed("payload type \"\(format)\" is not in 0…127")
        }
        guard entries[payloadType] == nil else {
            throw line.malformed("payload type \(payloadType) appears twice")
        }
        order.append(payloadType)
        entries[payloadType] = Entry()
    }

    /// `rtpmap:<type> <name>/<clock rate>[/<channels>]`
    mutating func takeMap(_ value: Substring, _ line: SDPLine) throws(SDPError) {
        let (payloadType, rest) = try payloadTypeAndRest(value, line)
        let parts = rest.trimmed.parts(at: "/")
        guard (2...3).contains(parts.count), !parts[0].isEmpty,
            let clockRate: Int32 = parts[1].decimal(), clockRate > 0
        else { throw line.malformed("an rtpmap is <type> <name>/<clock rate>") }
        var channels: Int?
        if parts.count == 3 {
            guard let count: UInt8 = parts[2].decimal(), count > 0 else {
                throw line.malformed("no number of channels")
            }
            channels = Int(count)
        }
        guard var entry = entries[payloadType] else { return }
        entry.name = String(parts[0])
        entry.clockRate = Int(clockRate)
        entry.channels = channels
        entries[payloadType] = entry
    }

    /// `fmtp:<type> <parameters>`
    mutating func takeParameters(_ value: Substring, _ line: SDPLine) throws(SDPError) {
        let (payloadType, rest) = try payloadTypeAndRest(value, line)
        entries[payloadType]?.parameters.elements += FormatParameters(rest).elements
    }

    /// `rtcp-fb:<type or *> <value>`
    mutating func takeFeedback(_ value: Substring, _ line: SDPLine) throws(SDPError) {
        if value.hasPrefix("* ") {
            guard sharedFeedback.count < SDPLimits.sharedFeedbackMaximum else {
                throw .tooMany(
                    what: "feedback lines for all formats",
                    maximum: SDPLimits.sharedFeedbackMaximum, line: line.number)
            }
            sharedFeedback.append(String(value.dropFirst(2).trimmed))
            return
        }
        let (payloadType, rest) = try payloadTypeAndRest(value, line)
        entries[payloadType]?.feedback.append(String(rest.trimmed))
    }

    /// Lines about a payload type that the `m=` line does not list are understood and dropped.
    private func payloadTypeAndRest(
        _ value: Substring, _ line: SDPLine
    ) throws(SDPError) -> (UInt8, Substring) {
        let (number, rest) = value.divided(at: " ")
        guard let payloadType: UInt8 = number.decimal(), payloadType < 128,
            let rest, !rest.trimmed.isEmpty
        else { throw line.malformed("expected a payload type and a value") }
        return (payloadType, rest)
    }

    /// The codecs, and the formats without an `rtpmap`.
    consuming func finished() -> ([CodecDescription], [String]) {
        var codecs: [CodecDescription] = []
        for payloadType in order {
            guard let entry = entries[payloadType] else { continue }
            guard let name = entry.name else {
                unexplained.append(String(payloadType))
                continue
            }
            let own = Set(entry.feedback)
            let feedback = entry.feedback + sharedFeedback.filter { !own.contains($0) }
            codecs.append(
                CodecDescription(
                    payloadType: payloadType, name: name, clockRate: entry.clockRate,
                    channels: entry.channels, parameters: entry.parameters, feedback: feedback))
        }
        return (codecs, unexplained)
    }
}
