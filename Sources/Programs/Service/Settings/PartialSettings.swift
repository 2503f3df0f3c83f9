/// The settings as far as they can be read, and everything that is wrong with the rest, so that an
/// operator need not start the server once for each mistake.
struct PartialSettings {
    let settings: Settings
    /// In the order in which they were found.
    let faults: [SettingsError]
    /// Count as not given: those that are wrong, and those that mean nothing without them.
    let leftOut: Set<SettingKey>

    static let faultsMaximum = 20

    /// Reads until nothing is wrong any more, each time without what was wrong before.
    ///
    /// - Throws: `unreadable`: nothing of the file is known then.
    init(_ input: SettingsInput) throws(SettingsError) {
        let first = try SettingsSource(input, leavingOut: [])
        var faults = first.faults
        var leftOut = first.leftOut
        var read: Settings?
        while read == nil, faults.count < Self.faultsMaximum {
            let source = try SettingsSource(input, leavingOut: leftOut)
            do throws(SettingsError) {
                read = try Settings(source)
            } catch {
                if !faults.contains(error) { faults.append(error) }
                guard let more = error.concerned(in: source) else { break }
                leftOut.formUnion(more)
            }
        }
        settings = read ?? Settings()
        self.faults = Array(faults.prefix(Self.faultsMaximum))
        self.leftOut = read == nil ? Set(SettingKey.allCases) : leftOut
    }

    /// What options and variables say where the file cannot be read, which may say all the rest.
    init(besideFileOf input: SettingsInput) {
        var rest = input
        rest.file = nil
        let found = try? PartialSettings(rest)
        let unknown = Set(SettingKey.allCases).subtracting(SettingsOrigins(rest).entries.keys)
        settings = found?.settings ?? Settings()
        faults = []
        leftOut = unknown.union(found?.leftOut ?? [])
    }
}

extension SettingsError {
    /// One error for all of these; nil for none.
    init?(all faults: [SettingsError]) {
        guard let first = faults.first else { return nil }
        self = faults.count == 1 ? first : .several(faults)
    }

    /// What to leave out, so that the same error is not found again; nil if that is not known.
    fileprivate func concerned(in source: SettingsSource) -> Set<SettingKey>? {
        let key: SettingKey
        switch self {
        case .accessKeyNeeded, .accessKeyNeededInPublic: key = .authAccessKey
        case .invalid(let name, _):
            guard let named = SettingKey(rawValue: name) else { return nil }
            key = named
        case .unreadable, .unknownKeys, .wrongType, .several, .tooFewDescriptors: return nil
        }
        let isOfNoStore =
            SettingKey.recordingsStoreBucket.section.contains(key)
            && source.text(.recordingsStoreBucket) == nil
        let candidates = [isOfNoStore ? key.section : key.withDependents, key.section, key.chapter]
        return candidates.first { !$0.isSubset(of: source.leftOut) }
    }
}

extension SettingKey {
    /// Settings that others need: what is said of those without them would be no mistake of its own.
    private static let needed: Set<SettingKey> = [
        .authAccessKey, .authSecret, .turnURLs, .turnSecret, .webhooksURL, .webhooksSecret,
        .openViduSecret, .recordingsStoreBucket, .recordingsStoreAccessKeyID,
        .recordingsStoreSecretAccessKey, .recordingsStoreSessionToken,
        .recordingsStoreCredentialsFile, .recordingsStoreEncryption, .recordingsStoreLive,
    ]

    private static let certificate: Set<SettingKey> = [
        .httpCertificateFile, .httpPrivateKeyFile, .httpPublicURL,
    ]

    /// This setting, and those that are not read without it.
    var withDependents: Set<SettingKey> {
        if Self.certificate.contains(self) { return Self.certificate }
        return Self.needed.contains(self) ? section : [self]
    }

    /// The settings that differ in the last part of their names only.
    fileprivate var section: Set<SettingKey> {
        let name = rawValue
        return Self.all(startingWith: name[...(name.lastIndex(of: ".") ?? name.startIndex)])
    }

    /// The settings with the same first part of their names.
    fileprivate var chapter: Set<SettingKey> {
        let name = rawValue
        return Self.all(startingWith: name[...(name.firstIndex(of: ".") ?? name.startIndex)])
    }

    private static func all(startingWith prefix: Substring) -> Set<SettingKey> {
        Set(allCases.filter { $0.rawValue.hasPrefix(prefix) })
    }
}
