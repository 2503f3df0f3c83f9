import Streams
import Subprocess

extension ProcessEnding {
    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .status(code)
        case .signaled(let code): self = .signal(code)
        }
    }
}
