import Glibc

/// Whether a port is free, found out by taking it for a moment.
struct BindingCheck {
    enum Transport {
        case udp, tcp
    }

    let host: String
    /// 0 for one that the system chooses.
    let port: Int
    let transport: Transport

    /// - Returns: `errno` of what fails; 0 if the host has no address; nil if the port is free.
    func code() -> Int32? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(type.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else {
            return 0
        }
        defer { freeaddrinfo(found) }
        let socket = Glibc.socket(
            address.pointee.ai_family, Int32(type.rawValue) | O_CLOEXEC, address.pointee.ai_protocol
        )
        guard socket >= 0 else { return errno }
        defer { close(socket) }
        if transport == .tcp {
            // As the server does: connections of an earlier one that still end are no hindrance.
            var yes: Int32 = 1
            setsockopt(
                socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bind(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
            return errno
        }
        guard transport == .udp || listen(socket, 1) == 0 else { return errno }
        return nil
    }

    private var type: __socket_type { transport == .udp ? SOCK_DGRAM : SOCK_STREAM }
}
