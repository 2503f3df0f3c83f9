/// What a server must prove by its certificate.
public enum ServerTrust: Hashable, Sendable {
    /// Its name, by an authority that this machine trusts.
    case machine
    /// Its name, by an authority of this file in PEM form. Others are not trusted.
    case authorities(file: String)
    /// Nothing. Whoever is on the way can read and change what is said.
    case anyone
}
