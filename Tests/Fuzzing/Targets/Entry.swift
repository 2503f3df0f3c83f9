import Foundation

/// Which parser: `ROOMCAST_FUZZ=sdp`.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["ROOMCAST_FUZZ"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else { fatalError("no fuzz target \(name)") }
    return target
}()

/// libFuzzer calls this with each input (https://llvm.org/docs/LibFuzzer.html).
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // Bad input is an error; any other failure ends the process.
    try? target.take(bytes)
    return 0
}
