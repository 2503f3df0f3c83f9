import Glibc

/// Measures the cost of forwarding a packet without the kernel: one room in fake time, whose peers
/// publish and listen, and whose datagrams go into the same batches as in the server, but no further.
///
///     forwarding-cost [audio|video] [PEERS] [PACKETS OF EACH SPEAKER]
///
/// Only `CrowdedRoom.forward` is of interest, which callgrind can be told to count alone:
///
///     valgrind --tool=callgrind --toggle-collect='*CrowdedRoom*forward*' forwarding-cost
@main
enum ForwardingCost {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let isVideo = arguments.first == "video"
        let numbers = arguments.compactMap { Int($0) }
        let room = try CrowdedRoom(peers: numbers.first ?? 30, speakers: 10, isVideo: isVideo)
        try room.connect()
        room.fill(packets: numbers.dropFirst().first ?? 50)
        let begin = cpuSeconds
        let forwarded = room.forward()
        let microseconds = (cpuSeconds - begin) * 1e6 / Double(max(forwarded, 1))
        print("\(forwarded) packets, \(microseconds) µs each")
    }

    private static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
