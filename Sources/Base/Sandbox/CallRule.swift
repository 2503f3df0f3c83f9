/// A condition for refusing a system call, and its error.
///
/// Arguments are compared by their low 32 bits: the ones used here are `int`s or flags, of which
/// the kernel reads no more.
public struct CallRule: Hashable, Sendable {
    public enum Condition: Hashable, Sendable {
        case always
        case isOne(of: [UInt32], argument: Int)
        case isNone(of: [UInt32], argument: Int)
        case lacks(bit: UInt32, argument: Int)
    }

    public let call: SystemCall
    public let condition: Condition
    /// The caller's `errno`.
    public let error: Int32

    init(_ call: SystemCall, when condition: Condition = .always, error: Int32) {
        self.call = call
        self.condition = condition
        self.error = error
    }
}
