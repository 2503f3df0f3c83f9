import MediaKernel

extension KeyedDecodingContainer {
    /// A list of hosts, as `WebHosts.names` has them; none if it is missing.
    func hosts(_ key: Key, allowsHTTP: Bool) throws -> WebHosts {
        let names = try decodeIfPresent([String].self, forKey: key) ?? []
        guard let hosts = WebHosts(names, allowsHTTP: allowsHTTP) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(names) are not hosts")
        }
        return hosts
    }
}
