import Jibri
import XMPP

/// A server where each slot waits for Jicofo: one host of a deployment, with its brewery.
struct BreweryServer: Sendable {
    let environment: JibriEnvironment
    let host: JibriEnvironment.Host
    let room: JID

    /// Jibri, too, is in the brewery of each host that it is told of.
    static func all(of settings: JibriSettings) -> [BreweryServer] {
        settings.environments.flatMap { environment in
            environment.hosts.compactMap { host in
                JID(local: environment.brewery.room, domain: environment.brewery.domain)
                    .map { BreweryServer(environment: environment, host: host, room: $0) }
            }
        }
    }
}
