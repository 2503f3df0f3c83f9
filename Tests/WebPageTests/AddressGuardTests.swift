import MediaKernel
import Testing

@testable import WebPage

/// Which addresses a page may reach.
@Suite struct AddressGuardTests {
    private func refusal(
        _ host: String, _ address: String, port: UInt16 = 80, hosts: [String] = [],
        networks: [AddressGuard.Network] = []
    ) throws -> String? {
        let hosts = try #require(WebHosts(hosts, allowsHTTP: true))
        let guarding = AddressGuard(hosts: hosts, networks: networks)
        let address = try #require(TransportAddress(address, port: port))
        return guarding.refusal(of: address, AddressGuard.Target(host: host, port: port))
    }

    @Test(arguments: ["93.184.216.34", "2606:2800:220:1::1"])
    func theWebIsAllowed(address: String) throws {
        #expect(try refusal("example.org", address) == nil)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.2", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1",
        "::ffff:127.0.0.1", "fd00::1", "64:ff9b::7f00:1", "2002:7f00:1::",
    ])
    func theServersMachineAndNetworkNeedTheOperatorsWord(address: String) throws {
        let words = try #require(try refusal("example.org", address))
        #expect(words.contains("customView.hosts does not list it"))
        #expect(try refusal("example.org", address, hosts: ["example.org"]) == nil)
        #expect(try refusal("example.org", address, port: 8080, hosts: ["example.org"]) != nil)
        #expect(try refusal("example.org", address, port: 8080, hosts: ["example.org:8080"]) == nil)
        #expect(try refusal("evil.net", address, hosts: ["example.org"]) != nil)
    }

    @Test(arguments: [
        "169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "fd00:ec2::254", "100.100.100.200",
        "::", "ff02::1",
    ])
    func linkLocalAndMetadataAddressesAreNobodysPages(address: String) throws {
        #expect(try refusal("example.org", address, hosts: ["example.org"]) != nil)
    }

    @Test func aPublicNetworkOfThisMachineIsItsOwn() throws {
        let network = AddressGuard.Network(ip: [203, 0, 113, 66], prefix: 26)
        #expect(try refusal("x.org", "203.0.113.65", networks: [network]) != nil)
        #expect(try refusal("x.org", "203.0.113.127", networks: [network]) != nil)
        #expect(try refusal("x.org", "203.0.113.63", networks: [network]) == nil)
        #expect(try refusal("x.org", "203.0.113.128", networks: [network]) == nil)
        #expect(try refusal("x.org", "203.0.113.65", hosts: ["x.org"], networks: [network]) == nil)
        let link = AddressGuard.Network(
            ip: TransportAddress("2001:db8::5", port: 0)!.ip, prefix: 64)
        #expect(try refusal("x.org", "2001:db8::9", networks: [link]) != nil)
        #expect(try refusal("x.org", "2001:db8:0:1::9", networks: [link]) == nil)
    }
}

/// The heads of a browser's requests to its proxy.
@Suite struct ProxyRequestTests {
    private func parsed(_ text: String) throws -> ProxyRequest {
        try ProxyRequest(head: Array(text.utf8))
    }

    @Test func aTunnelNamesItsEnd() throws {
        let request = try parsed("CONNECT Example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(request.target == AddressGuard.Target(host: "example.org", port: 443))
        #expect(request.kind == .tunnel)
        let six = try parsed("CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n")
        #expect(six.target == AddressGuard.Target(host: "2001:db8::1", port: 443))
    }

    @Test func plainHTTPIsOneRequestInTheOriginsForm() throws {
        let request = try parsed(
            "POST http://example.org?x=1 HTTP/1.1\r\nHost: example.org\r\nProxy-Connection: "
                + "keep-alive\r\nConnection: keep-alive\r\nContent-Length: 5\r\nCookie: a\r\n\r\n")
        #expect(request.target == AddressGuard.Target(host: "example.org", port: 80))
        #expect(
            request.kind
                == .single(
                    head: "POST /?x=1 HTTP/1.1\r\nHost: example.org\r\nContent-Length: 5\r\n"
                        + "Cookie: a\r\nConnection: close\r\n\r\n", bodyBytes: 5))
    }

    @Test(arguments: [
        "", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "CONNECT example.org HTTP/1.1\r\n\r\n",
        "CONNECT example.org:0 HTTP/1.1\r\n\r\n", "CONNECT example.org:99999 HTTP/1.1\r\n\r\n",
        "CONNECT user@example.org:443 HTTP/1.1\r\n\r\n", "CONNECT [::1 HTTP/1.1\r\n\r\n",
        "GET https://example.org/ HTTP/1.1\r\n\r\n", "GET ftp://example.org/ HTTP/1.1\r\n\r\n",
        "GET http://a@example.org/ HTTP/1.1\r\n\r\n", "GET http://x/ HTTP/2\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\nno colon\r\n\r\n",
        "POST http://x/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST http://x/ HTTP/1.1\r\nContent-Length: +5\r\n\r\n",
        "POST http://x/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\n",
        "POST http://x/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func anythingElseIsRefused(text: String) {
        // Only what a client may do elsewhere is told from what no client may do.
        let status = text.contains("Transfer-Encoding") ? 501 : 400
        #expect {
            try parsed(text)
        } throws: { error in
            (error as? ProxyRequest.Refusal)?.status == status
        }
    }

    @Test func aHeadEndsWithAnEmptyLine() {
        #expect(ProxyRequest.headEnd(in: Array("GET / HTTP/1.1\r\n\r\nbody".utf8)) == 18)
        #expect(ProxyRequest.headEnd(in: Array("GET / HTTP/1.1\r\n".utf8)) == nil)
        #expect(ProxyRequest.headEnd(in: []) == nil)
        // Wherever it is torn, only what is new is looked at.
        let head = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        for known in 0..<head.count {
            #expect(ProxyRequest.headEnd(in: head, after: known) == head.count)
        }
    }
}
