internal import XMPP

/// A conference request by HTTP.
struct ConferenceOrder: Hashable {
    let room: String?

    init(json: String) throws(StanzaError) {
        do throws(JitsiFault) {
            let members = try JitsiJSON.members(
                json, JitsiLimits.answerJSON, bytes: JitsiLimits.answerBytes, of: "the request")
            room = members["room"]?.text
        } catch {
            throw StanzaError("bad-request", .modify, text: error.description)
        }
    }
}
