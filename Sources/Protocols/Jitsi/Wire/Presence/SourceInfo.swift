internal import MediaKernel

/// What a member shows of its sources in its presence: `{"1a2b3c4d-a0":{"muted":true}}`.
struct SourceInfo: Hashable {
    struct State: Hashable {
        var isMuted: Bool
        /// Nil where it is not said.
        var isScreen: Bool?
    }

    private(set) var states: [SourceName: State] = [:]

    /// - Parameter owner: the member. What it says of others' sources is passed over.
    init(_ text: String, owner: String) throws(JitsiFault) {
        let members = try JitsiJSON.members(
            text, JitsiLimits.memberJSON, bytes: JitsiLimits.memberJSONBytes, of: "SourceInfo")
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let name = SourceName(key, owner: owner) else { continue }
            guard states.count < JitsiLimits.memberSources else {
                throw .tooMany("sources in SourceInfo", maximum: JitsiLimits.memberSources)
            }
            let type = value.members?["videoType"]?.text
            states[name] = State(
                isMuted: value.members?["muted"]?.flag ?? false,
                isScreen: type.map { $0 == "desktop" })
        }
    }

    /// For a member that sends nothing.
    static let none = "{}"
}
