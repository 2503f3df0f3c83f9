import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// The reason for a failed connection, in words for people.
public enum ConnectionFault {
    public static let closed = "it closed the connection"
    public static let silence = "it does not answer"

    public static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: words(code: error.errnoCode)
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { words($0.error) } ?? unknownName(error.host)
        case let error as SocketAddressError.UnknownHost: unknownName(error.host)
        case ChannelError.connectTimeout: silence
        case ChannelError.eof: closed
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "its certificate is for another name"
        case NIOSSLError.uncleanShutdown: closed
        case let error as NIOSSLError: words(error)
        default: String(describing: error)
        }
    }

    /// Whether the server has not proved its name, or speaks no TLS that we accept: another attempt
    /// would end alike.
    public static func isDistrust(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOSSLExtraError: error == .failedToValidateHostname
        case NIOSSLError.handshakeFailed(.sslError): true
        default: false
        }
    }

    private static func words(_ error: NIOSSLError) -> String {
        let text = String(describing: error)
        return text.contains("CERTIFICATE_VERIFY_FAILED")
            ? "no authority that is trusted here has signed its certificate, or it has expired"
            : text
    }

    private static func unknownName(_ host: String) -> String { "no machine is called \(host)" }

    private static func words(code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "nothing listens there; is the server running?"
        case ECONNRESET, EPIPE: closed
        case EHOSTUNREACH, ENETUNREACH: "the network has no way to it"
        case ETIMEDOUT: silence
        default: String(cString: strerror(code))
        }
    }
}
