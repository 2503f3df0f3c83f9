import HOCON

/// The settings that Jibri had in `config.json` before 2020, and reads to this day, under the names
/// that they have now (jitsi/jibri, `JibriConfig.kt` and `doc/config_migration_guide.md`).
enum FormerSettings {
    /// Below `jibri`.
    private static let names = [
        "jibri_id": ["id"], "single_use_mode": ["single-use-mode"],
        "enable_stats_d": ["stats", "enable-stats-d"],
        "recording_directory": ["recording", "recordings-directory"],
        "finalize_recording_script_path": ["recording", "finalize-script"],
        "xmpp_environments": ["api", "xmpp", "environments"],
    ]

    /// Those of an environment, of its rooms and of its accounts.
    private static let innerNames = [
        "xmpp_server_hosts": "xmpp-server-hosts", "xmpp_domain": "xmpp-domain",
        "baseUrl": "base-url", "control_login": "control-login", "control_muc": "control-muc",
        "sip_control_muc": "sip-control-muc", "call_login": "call-login",
        "room_jid_domain_string_to_strip_from_start": "strip-from-room-domain",
        "usage_timeout": "usage-timeout", "always_trust_certs": "trust-all-xmpp-certs",
        "security_mode": "security-mode", "room_name": "room-name",
    ]

    /// A document with today's names. Where it has both, the former ones count, as in Jibri.
    static func renamed(_ root: HOCONValue) -> HOCONValue {
        guard var members = root.object, members.keys.contains(where: { names[$0] != nil }) else {
            return root
        }
        var jibri: [String: HOCONValue] = [:]
        for (name, path) in names {
            guard let value = members.removeValue(forKey: name) else { continue }
            let items = value.list.map { HOCONValue(.list($0.map(environment)), at: value.place) }
            put(name == "xmpp_environments" ? items ?? value : value, at: path[...], &jibri)
        }
        let settings = HOCONValue(.object(jibri), at: root.place)
        return HOCONValue(.object(["jibri": settings]), at: root.place)
            .merged(over: HOCONValue(.object(members), at: root.place))
    }

    private static func put(
        _ value: HOCONValue, at path: ArraySlice<String>, _ object: inout [String: HOCONValue]
    ) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            object[name] = value
            return
        }
        var inner = object[name]?.object ?? [:]
        put(value, at: path.dropFirst(), &inner)
        object[name] = HOCONValue(.object(inner), at: value.place)
    }

    private static func environment(_ value: HOCONValue) -> HOCONValue {
        guard var members = renamedInside(value).object else { return value }
        // In minutes then.
        if let timeout = members["usage-timeout"], let minutes = timeout.integer {
            members["usage-timeout"] = HOCONValue(.text("\(minutes) minutes"), at: timeout.place)
        }
        members["trust-all-xmpp-certs"] =
            members["trust-all-xmpp-certs"] ?? HOCONValue(.text("true"), at: value.place)
        return HOCONValue(.object(members), at: value.place)
    }

    private static func renamedInside(_ value: HOCONValue) -> HOCONValue {
        guard let members = value.object else { return value }
        let renamed = members.map { (innerNames[$0.key] ?? $0.key, renamedInside($0.value)) }
        return HOCONValue(.object(Dictionary(renamed) { first, _ in first }), at: value.place)
    }
}
