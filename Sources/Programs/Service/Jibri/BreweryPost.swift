import Jibri
import XML
import XMPP

/// What a slot has to say in a brewery.
enum BreweryMessage: Hashable, Sendable {
    case stanza(XMLElement)
    /// A request to Jicofo, which it answers.
    case tell(JibriStatus, to: JID)
    case show(SlotStatus)
}

/// Takes what slots say, in order, to their breweries. Never waits.
protocol BreweryPost: Sendable {
    func post(_ message: BreweryMessage, slot: Int, server: Int)
}
