import ArgumentParser
import Foundation
import Service

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether `serve` would start here, and what may surprise its clients.",
        discussion: """
            It looks at the settings, the policy, ports, certificates, the addresses that clients are \
            told, file descriptors, directories and their disks, codecs and fonts. It starts nothing and \
            leaves nothing behind. Beside a running server it reports that server's ports as taken.

            The exit status is 1 if something is wrong.
            """)

    @OptionGroup var options: ServingOptions

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() async throws {
        let lines = ServerCheck(
            options.input, now: Int(Date().timeIntervalSince1970)
        ).lines()
        if json {
            try ResultJSON.print(lines)
        } else {
            for line in lines {
                let verdict = line.verdict.rawValue
                    .padding(toLength: 5, withPad: " ", startingAt: 0)
                let subject = line.subject.padding(toLength: 12, withPad: " ", startingAt: 0)
                print("\(verdict)  \(subject)  \(line.text)")
            }
        }
        if lines.contains(where: { $0.verdict == .wrong }) { throw ExitCode.failure }
    }
}
