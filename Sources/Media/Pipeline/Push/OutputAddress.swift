import Codec
import Datagrams
import Glibc
import MediaKernel
import Streams

/// Why an output cannot connect; the reasons are for people.
enum PushProblem: Error, Hashable, Sendable {
    /// The next attempt may succeed.
    case passing(String)
    case final(String)
}

/// A target in libavformat's words, with an address of its host that may be connected to.
struct OutputAddress: Hashable, Sendable {
    private let target: PushTarget
    /// What is connected to: an address, so that it is the one that was checked; over TLS the name,
    /// which the server proves with its certificate.
    private let host: String

    /// Resolves the target's host.
    static func resolve(
        _ target: PushTarget, hosts: PushHosts
    ) throws(PushProblem) -> OutputAddress {
        let found = try addresses(of: target.host)
        let allowed = found.filter { hosts.admits($0, of: target) }
        guard let first = allowed.first else {
            throw .final("\(target.host) is in a private network and not in stream.pushHosts")
        }
        // Most networks reach IPv4.
        return OutputAddress(target, at: allowed.first { !$0.isIPv6 } ?? first)
    }

    init(_ target: PushTarget, at address: TransportAddress) {
        self.target = target
        let text = address.isIPv6 ? "[\(address.host)]" : address.host
        host = target.scheme == .rtmps ? target.host : text
    }

    private static func addresses(of host: String) throws(PushProblem) -> [TransportAddress] {
        do {
            return try HostLookup.addresses(of: host)
        } catch {
            throw .passing("\(host): \(error)")
        }
    }

    var container: OutputConnection.Container {
        target.scheme == .srt ? .transportStream : .flv
    }

    var url: String {
        switch target.access {
        case .rtmp(_, _, let user):
            "\(target.scheme.rawValue)://\(user.map { "\($0)@" } ?? "")\(host):\(target.port)/-"
        case .srt: "srt://\(host):\(target.port)"
        }
    }

    /// - Parameter bitrate: of the layer, in bits a second.
    func options(bitrate: Int) -> [(name: String, value: String)] {
        switch target.access {
        case .rtmp(let application, let key, _):
            let name = "\(target.scheme.rawValue)://\(target.host):\(target.port)"
            var options = [
                ("rtmp_app", application), ("rtmp_playpath", key),
                ("rtmp_tcurl", "\(name)/\(application)"), ("tcp_nodelay", "1"),
                ("send_buffer_size", "\(Self.bufferBytes(bitrate: bitrate))"),
            ]
            if target.scheme == .rtmps {
                options.append(("tls_verify", "1"))
                if let file = getenv("SSL_CERT_FILE").map({ String(cString: $0) }) {
                    options.append(("ca_file", file))
                }
            }
            return options
        case .srt(let srt):
            var options = [("mode", "caller"), ("transtype", "live")]
            if let id = srt.streamID { options.append(("srt_streamid", id)) }
            if let passphrase = srt.passphrase { options.append(("passphrase", passphrase)) }
            // libavformat counts microseconds.
            if let latency = srt.latency { options.append(("latency", "\(latency * 1000)")) }
            return options
        }
    }

    /// The kernel's buffer holds about a second, so that a connection that takes nothing is noticed
    /// soon. The kernel doubles the number.
    static func bufferBytes(bitrate: Int) -> Int { min(max(bitrate / 16, 32 << 10), 4 << 20) }
}
