import Codec

/// The images that peers and the layout name, as far as they have been loaded.
struct Gallery {
    /// The most images that are kept.
    static let picturesMaximum = 100

    private var named: Set<String> = []
    private var pictures: [String: StillPicture] = [:]
    /// Named images that are unavailable.
    private var missing: Set<String> = []

    subscript(address: String) -> StillPicture? { pictures[address] }

    /// Whether an image may still come.
    func isAwaited(_ address: String) -> Bool {
        pictures[address] == nil && !missing.contains(address)
    }

    /// - Parameter picture: nil when it is unavailable.
    mutating func set(_ picture: StillPicture?, at address: String) {
        guard named.contains(address) else { return }
        guard let picture else {
            pictures[address] = nil
            missing.insert(address)
            return
        }
        guard pictures[address] != nil || pictures.count < Self.picturesMaximum else { return }
        pictures[address] = picture
        missing.remove(address)
    }

    /// Sets the named images and forgets all others.
    mutating func keep(only named: Set<String>) {
        self.named = named
        pictures = pictures.filter { named.contains($0.key) }
        missing.formIntersection(named)
    }

    /// Expects these images again, even if they were unavailable before.
    mutating func expect(_ addresses: some Sequence<String>) { missing.subtract(addresses) }
}
