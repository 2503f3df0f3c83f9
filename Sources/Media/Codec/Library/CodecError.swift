internal import CLibAV

/// Errors of this target.
///
/// Foreign bytes cause only `.library`, `.opus`, `.packetSize`, `.pictureSize` and `.pixelFormat`:
/// they cost the packet that carried them, and the decoder or encoder stays usable. The other cases
/// are wrong configuration or an exhausted machine, and cost the object being made.
public enum CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// This build of the media libraries lacks a part that Roomcast needs.
    case partMissing(String)
    /// A library did not know an option.
    case optionUnused(part: String, option: String)
    /// A call into FFmpeg's libraries failed with this code.
    case library(call: String, code: Int32)
    /// A call into libopus failed with this code.
    case opus(call: String, code: Int32)
    case outOfMemory
    /// Width and height in pixels that are zero, negative or above the limit.
    case pictureSize(width: Int, height: Int)
    case pixelFormat(Int32)
    /// An empty packet, or one above the limit.
    case packetSize(count: Int, maximum: Int)
    /// A block of audio with the wrong number of floating-point values.
    case sampleCount(count: Int, expected: Int)
    /// A setting outside its documented range.
    case setting(name: String, value: String)
    /// A transport-stream segment may start with a keyframe only.
    case segmentWithoutKeyframe
    /// More packets were queued than a segment can hold.
    case queueFull(maximum: Int)
    /// A connection could not be made, or broke; the reason is for people and has no secrets.
    case connection(String)

    public var description: String {
        switch self {
        case .partMissing(let part): "the media libraries offer no \(part)"
        case .optionUnused(let part, let option): "\(part) does not know the option \(option)"
        case .library(let call, let code):
            "\(call): \(Self.text(ofLibraryCode: code)) (\(code))"
        case .opus(let call, let code): "\(call): opus error \(code)"
        case .outOfMemory: "out of memory"
        case .pictureSize(let width, let height): "picture size \(width)x\(height)"
        case .pixelFormat(let format): "pixel format \(format) cannot be converted"
        case .packetSize(let count, let maximum): "packet of \(count) bytes (at most \(maximum))"
        case .sampleCount(let count, let expected): "\(count) samples instead of \(expected)"
        case .setting(let name, let value): "\(name) cannot be \(value)"
        case .segmentWithoutKeyframe: "a segment must start with a keyframe"
        case .connection(let reason): reason
        case .queueFull(let maximum): "more than \(maximum) packets in one segment"
        }
    }

    /// The cause, without the names and numbers of calls.
    public var reason: String {
        if case .library(_, let code) = self { return Self.text(ofLibraryCode: code) }
        return description
    }

    private static func text(ofLibraryCode code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        av_strerror(code, &buffer, buffer.count)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Turns FFmpeg's negative codes into errors with the call's name.
@discardableResult
func check(_ code: Int32, _ call: StaticString) throws(CodecError) -> Int32 {
    guard code < 0 else { return code }
    if code == av_shim_error_memory { throw .outOfMemory }
    throw .library(call: "\(call)", code: code)
}
