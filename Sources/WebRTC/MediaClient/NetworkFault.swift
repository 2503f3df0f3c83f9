import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix

/// The reason for a failed connection, in words for people.
public enum NetworkFault {
    public static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: words(code: error.errnoCode)
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { words($0.error) } ?? unknownName(error.host)
        case let error as SocketAddressError.UnknownHost: unknownName(error.host)
        case ChannelError.connectTimeout: silence
        case let error as HTTPClientError: words(error)
        default: String(describing: error)
        }
    }

    private static func words(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout, .deadlineExceeded, .readTimeout: silence
        case .remoteConnectionClosed: closed
        default: String(describing: error)
        }
    }

    private static let closed = "it closed the connection"
    private static let silence = "it does not answer"

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
