import ControlAPI
import Glibc
import MediaKernel
import MediaServer
import NIOCore

/// The address of a server socket, and the settings that determine it.
struct BindingPlace {
    var host: (key: String, value: String)
    var port: (key: String, value: Int)
}

extension SettingsError {
    /// Why a socket cannot be bound, and what to do about it.
    ///
    /// - Parameter code: the `errno` of bind(2); 0 if the host has no address.
    init(_ place: BindingPlace, code: Int32) {
        let (host, port) = (place.host.value, place.port.value)
        self =
            switch code {
            case EADDRINUSE:
                .invalid(
                    key: place.port.key,
                    reason: "\(port) on \(host) is taken by another program, perhaps by another "
                        + "roomcast; end that one, or set another port")
            case EACCES:
                .invalid(
                    key: place.port.key,
                    reason:
                        "this user may not listen on port \(port); set one from 1024 on, or give "
                        + "the program CAP_NET_BIND_SERVICE")
            case EADDRNOTAVAIL:
                .invalid(
                    key: place.host.key,
                    reason:
                        "\(host) is not an address of this machine; 0.0.0.0 stands for all that "
                        + "it has")
            case 0:
                .invalid(
                    key: place.host.key,
                    reason: "\(host) is neither an address nor a name that has one")
            default:
                .invalid(
                    key: place.port.key,
                    reason: "\(host):\(port): \(String(cString: strerror(code)))")
            }
    }

    /// Nil for errors that do not concern an address.
    init?(_ error: any Error, at place: BindingPlace) {
        switch error {
        case let error as IOError where error.isOfBinding:
            self.init(place, code: error.errnoCode)
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            self.init(place, code: 0)
        default: return nil
        }
    }
}

extension IOError {
    fileprivate var isOfBinding: Bool {
        [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(errnoCode)
    }
}

extension HTTPSettings {
    var place: BindingPlace {
        BindingPlace(host: ("http.host", host), port: ("http.port", port))
    }
}

extension MetricsAddress {
    var place: BindingPlace {
        BindingPlace(host: ("metrics.host", host), port: ("metrics.port", port))
    }
}

extension Settings {
    /// The error that keeps the media server from starting, in terms of the settings if it concerns
    /// them.
    func explained(_ error: any Error) -> any Error {
        guard
            case .cannotBind(let transport, let host, let port, let code)? =
                error as? MediaServerError
        else { return error }
        let key = transport == .udp ? "udp.port" : "tcp.port"
        return SettingsError(
            BindingPlace(host: ("udp.host", host), port: (key, port)), code: code)
    }
}
