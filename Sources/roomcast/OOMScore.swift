import Foundation

/// Influences which process the kernel ends first when memory runs out: the one with the highest
/// score, in thousandths of the memory. A dead server takes all its rooms along, a bot is replaced
/// while its stream runs, and a finisher starts again. proc_pid_oom_score_adj(5)
enum OOMScore {
    static let bot = 300
    static let finisher = 600
    static let browser = 300
    private static let maximum = 1000
    private static let file = "/proc/self/oom_score_adj"

    /// Any process may raise its own score. If that fails, the kernel goes by size alone.
    static func raise(by points: Int) {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let inherited = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        let score = min(inherited + points, maximum)
        try? String(score).write(toFile: file, atomically: false, encoding: .utf8)
    }
}
