public import Jibri
import Streams

extension Settings {
    /// Has bots join the meetings of a Jibri's deployments with the accounts that it has for them.
    public mutating func admit(_ jibri: JibriSettings) {
        for environment in jibri.environments {
            let call = environment.call
            for host in environment.hosts {
                stream.sources.jitsi.admit(
                    JitsiCredential.Account(user: call.user, password: call.password),
                    to: call.domain, at: host.description)
            }
        }
    }
}
