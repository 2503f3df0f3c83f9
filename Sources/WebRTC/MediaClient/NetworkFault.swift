import AsyncHTTPClient
import ClientConnections

/// The reason for a failed connection or HTTP request, in words for people.
public enum NetworkFault {
    public static func words(_ error: any Error) -> String {
        guard let error = error as? HTTPClientError else { return ConnectionFault.words(error) }
        return switch error {
        case .connectTimeout, .deadlineExceeded, .readTimeout: ConnectionFault.silence
        case .remoteConnectionClosed: ConnectionFault.closed
        default: String(describing: error)
        }
    }
}
