import MediaKernel
import ObjectStorage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads `recordings.store.…`: a store, or none if no bucket is named.
struct StoreReader {
    let source: SettingsSource

    private static let mebibytes = 5...5120
    private static let retrySeconds = 0.1...3600
    private static let timeoutSeconds = 1.0...3600
    private static let standardRegion = "us-east-1"

    func settings() throws(SettingsError) -> StoreSettings? {
        guard let bucket = source.text(.recordingsStoreBucket) else {
            let others = SettingKey.allCases.filter {
                $0.rawValue.hasPrefix("recordings.store.") && isGiven($0)
            }
            if let other = others.first {
                throw invalid(other, "recordings.store.bucket is missing")
            }
            return nil
        }
        try check(bucket)
        let region = source.text(.recordingsStoreRegion) ?? Self.standardRegion
        guard region.utf8.allSatisfy({ Self.isNameByte($0) }) else {
            throw invalid(.recordingsStoreRegion, "a name like eu-central-1")
        }
        let (isTLS, authority) = try endpoint(region)
        var settings = StoreSettings(
            store: ObjectStore(
                isTLS: isTLS, authority: authority, region: region, addressing: try addressing(),
                bucket: bucket, prefix: try prefix(), encryption: try encryption()),
            credentials: try credentials())
        if let size = source.integer(.recordingsStorePartMebibytes) {
            guard Self.mebibytes.contains(size) else {
                throw invalid(.recordingsStorePartMebibytes, "5 to 5120")
            }
            settings.partBytes = Int64(size) << 20
        }
        settings.keepsLocal = source.flag(.recordingsStoreKeepLocal) ?? settings.keepsLocal
        settings.copiesLive = source.flag(.recordingsStoreLive) ?? settings.copiesLive
        settings.copyURL = try copyURL(isWanted: settings.copiesLive)
        settings.delayMaximum =
            try seconds(.recordingsStoreRetryMaximumSeconds, Self.retrySeconds)
            ?? settings.delayMaximum
        settings.timeout =
            try seconds(.recordingsStoreTimeoutSeconds, Self.timeoutSeconds)
            ?? settings.timeout
        return settings
    }

    private func isGiven(_ key: SettingKey) -> Bool {
        switch key.kind {
        case .integer: source.integer(key) != nil
        case .number: source.number(key) != nil
        case .flag: source.flag(key) != nil
        case .list: source.list(key) != nil
        case .text, .object: source.text(key) != nil
        }
    }

    /// docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    private func check(_ bucket: String) throws(SettingsError) {
        guard (3...63).contains(bucket.utf8.count),
            bucket.utf8.allSatisfy({ Self.isNameByte($0) && !(0x41...0x5A).contains($0) })
        else {
            throw invalid(
                .recordingsStoreBucket, "3 to 63 small letters, digits, dots and hyphens")
        }
    }

    private func endpoint(_ region: String) throws(SettingsError) -> (Bool, String) {
        guard var text = source.text(.recordingsStoreEndpoint) else {
            return (true, "s3.\(region).amazonaws.com")
        }
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = HTTPURL(text), url.target.isEmpty,
            !url.authority.contains(where: { "@ ".contains($0) })
        else {
            throw invalid(
                .recordingsStoreEndpoint,
                "it must be http:// or https:// with a host and nothing behind it")
        }
        // Clients omit the scheme's default port from the Host header, which is signed.
        let port = url.isSecure ? ":443" : ":80"
        var authority = url.authority.lowercased()
        if authority.hasSuffix(port), authority.count > port.count {
            authority.removeLast(port.count)
        }
        return (url.isSecure, authority)
    }

    private func copyURL(isWanted: Bool) throws(SettingsError) -> String? {
        guard var text = source.text(.recordingsStoreLiveURL) else { return nil }
        guard isWanted else {
            throw invalid(.recordingsStoreLiveURL, "recordings.store.live must be true with it")
        }
        while text.hasSuffix("/") { text.removeLast() }
        let isPlain = !text.contains { "?#@ \"\\".contains($0) || !$0.isASCII || $0.isNewline }
        guard HTTPURL(text) != nil, isPlain else {
            throw invalid(
                .recordingsStoreLiveURL,
                "it must be http:// or https:// with a host, perhaps a path")
        }
        return text
    }

    private func addressing() throws(SettingsError) -> ObjectStore.Addressing {
        guard let text = source.text(.recordingsStoreAddressing) else {
            return source.text(.recordingsStoreEndpoint) == nil ? .host : .path
        }
        guard let addressing = ObjectStore.Addressing(rawValue: text) else {
            throw invalid(.recordingsStoreAddressing, "path or host")
        }
        return addressing
    }

    private func prefix() throws(SettingsError) -> String {
        let text = source.text(.recordingsStorePrefix) ?? ""
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isUsable = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.utf8.allSatisfy { Self.isNameByte($0) || $0 == UInt8(ascii: "_") }
        }
        guard text.isEmpty || isUsable && text.utf8.count <= 512 else {
            throw invalid(
                .recordingsStorePrefix,
                "names of letters, digits, '.', '_' and '-' with slashes between them only")
        }
        return text
    }

    private func encryption() throws(SettingsError) -> ObjectStore.Encryption? {
        let keyID = source.text(.recordingsStoreKMSKeyID)
        let text = source.text(.recordingsStoreEncryption)
        guard keyID == nil || text == "aws:kms" else {
            throw invalid(
                .recordingsStoreKMSKeyID, "recordings.store.encryption must be aws:kms with it")
        }
        switch text {
        case nil: return nil
        case "AES256"?: return .aes256
        case "aws:kms"?: return .keyManagement(keyID: keyID)
        default: throw invalid(.recordingsStoreEncryption, "AES256 or aws:kms")
        }
    }

    private func credentials() throws(SettingsError) -> StoreSettings.Credentials {
        let file = source.text(.recordingsStoreCredentialsFile)
        let token = source.text(.recordingsStoreSessionToken)
        switch (
            source.text(.recordingsStoreAccessKeyID), source.text(.recordingsStoreSecretAccessKey)
        ) {
        case (let id?, let secret?):
            guard file == nil else {
                throw invalid(
                    .recordingsStoreCredentialsFile,
                    "the credentials are given in the settings too")
            }
            return .fixed(
                AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token))
        case (nil, nil):
            guard token == nil else {
                throw invalid(
                    .recordingsStoreSessionToken, "it comes with accessKeyID and secretAccessKey")
            }
            guard let file else {
                throw invalid(
                    .recordingsStoreAccessKeyID,
                    "accessKeyID and secretAccessKey, or credentialsFile, must be given")
            }
            return .file(file)
        case (nil, _), (_, nil):
            throw invalid(
                .recordingsStoreAccessKeyID,
                "accessKeyID and secretAccessKey must be given together")
        }
    }

    private func seconds(
        _ key: SettingKey, _ range: ClosedRange<Double>
    ) throws(SettingsError) -> Duration? {
        guard let seconds = source.number(key) else { return nil }
        guard range.contains(seconds) else {
            throw invalid(key, "\(range.lowerBound) to \(range.upperBound) seconds")
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }

    private func invalid(_ key: SettingKey, _ reason: String) -> SettingsError {
        .invalid(key: key.rawValue, reason: reason)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
