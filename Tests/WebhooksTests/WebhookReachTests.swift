import MediaKernel
import Testing
import Webhooks

@Suite struct WebhookReachTests {
    private let world = WebhookReach()
    private let vicinity = WebhookReach(includesPrivate: true)

    @Test(arguments: [
        "https://example.org/hook", "http://example.org:8080", "https://203.0.113.9/x",
        "https://[2001:4860::1]:8443/", "http://172.15.0.1", "http://172.32.0.1", "http://11.0.0.1",
        "http://internal.example.org", "http://receiver", "http://a1.example",
    ])
    func receiversMayBeInTheWorld(url: String) {
        #expect(world.admits(url: url) && vicinity.admits(url: url))
    }

    @Test(arguments: [
        "http://127.0.0.1:9000", "http://127.8.8.8", "http://localhost:3000/x", "http://LOCALHOST",
        "http://a.localhost", "http://10.0.0.5", "http://172.16.0.1", "http://172.31.255.255",
        "http://192.168.1.1", "http://100.64.0.1", "http://[::1]:80", "http://[fd12::1]",
        "http://[fc00::1]", "http://[::ffff:10.0.0.1]", "http://[64:ff9b::10.0.0.1]",
        "http://[2002:0a00:0001::1]", "http://[::127.0.0.1]",
    ])
    func onesOfTheVicinityHaveToBeAllowed(url: String) {
        #expect(!world.admits(url: url))
        #expect(vicinity.admits(url: url))
    }

    /// Cloud services that hand out keys, and addresses that belong to no host.
    @Test(arguments: [
        "http://169.254.169.254/latest/meta-data/", "http://169.254.170.2",
        "http://[fd00:ec2::254]/",
        "http://[FD00:0EC2::254]", "http://[fd20:ce::254]", "http://[fd00:c1::a9fe:a9fe]",
        "http://[fd00:a9fe:a9fe::1]", "http://[fd00:42::42]", "http://[fd00:100::100:200]",
        "http://[fe80::1]", "http://[::ffff:169.254.169.254]",
        "http://[64:ff9b::a9fe:a9fe]", "http://[2002:a9fe:a9fe::]", "http://[::169.254.169.254]",
        "http://metadata.google.internal/computeMetadata/v1/", "http://METADATA.google.internal.",
        "http://metadata", "http://instance-data/latest", "http://100.100.100.200",
        "http://168.63.129.16", "http://192.0.0.192", "http://0.0.0.0", "http://0.1.2.3",
        "http://[::]", "http://224.0.0.1", "http://255.255.255.255", "http://[ff02::1]",
        "http://2852039166", "http://0xa9fea9fe", "http://169.254.43518",
        "http://0251.0376.0251.0376",
        "http://127.1", "http://x.1", "http://a@169.254.169.254", "ftp://example.org", "http://",
    ])
    func nobodyIsAllowedElsewhere(url: String) {
        #expect(!world.admits(url: url))
        #expect(!vicinity.admits(url: url))
    }
}
