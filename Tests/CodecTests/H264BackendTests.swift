import CLibAV
import MediaKernel
import Testing

@testable import Codec

/// The choice of the encoder. No hardware is needed: the tests cover the order and the fallback.
@Suite struct H264BackendTests {
    private let settings = VideoEncoderSettings(
        width: 320, height: 180, frameRate: 30, bitrate: 400_000, keyframeInterval: 60)

    @Test func everyChoiceEndsWithX264() {
        #expect(H264Backend.candidates(for: "x264") == [.x264])
        #expect(H264Backend.candidates(for: "nvenc") == [.nvenc, .x264])
        #expect(H264Backend.candidates(for: "qsv") == [.qsv, .x264])
        #expect(H264Backend.candidates(for: "vaapi") == [.vaapi, .x264])
        #expect(H264Backend.candidates(for: "auto") == [.nvenc, .qsv, .vaapi, .x264])
        #expect(H264Backend.candidates(for: "gpu") == nil)
        #expect(H264Backend.candidates(for: "") == nil)
    }

    @Test func theFirstThatOpensIsUsedAndNoneAfterItIsTried() throws {
        var tried: [H264Backend] = []
        var refused: [H264Backend] = []
        let chosen = try H264Backend.open(firstOf: [.nvenc, .qsv, .vaapi, .x264]) { backend, _ in
            refused.append(backend)
        } open: { backend throws(CodecError) in
            tried.append(backend)
            if backend == .nvenc { throw .partMissing("encoder h264_nvenc") }
            return backend
        } prove: { _ in
        }
        #expect(chosen == .qsv)
        // It is opened again, since the first one was used for the test picture.
        #expect(tried == [.nvenc, .qsv, .qsv])
        #expect(refused == [.nvenc])
    }

    /// Drivers whose version differs from the library's, or exhausted sessions.
    @Test func hardwareThatOpensAndDoesNotEncodeIsPassedOver() throws {
        var refused: [String] = []
        var proved: [H264Backend] = []
        let chosen = try H264Backend.open(firstOf: [.nvenc, .vaapi, .x264]) { backend, error in
            refused.append("\(backend) \(error)")
        } open: { backend throws(CodecError) in
            backend
        } prove: { backend throws(CodecError) in
            proved.append(backend)
            throw .partMissing("a picture of \(backend.encoderName)")
        }
        #expect(chosen == .x264, "which needs no proof")
        #expect(proved == [.nvenc, .vaapi])
        #expect(refused.count == 2 && refused[0].contains("h264_nvenc"))
    }

    @Test func anEncoderProvesItselfByAPicture() throws {
        try H264Encoder(settings).prove()
        var preset = settings
        preset.preset = "medium"
        try H264Encoder(preset).prove()
    }

    @Test func whenNoneOpensTheLastOnesErrorIsThrown() {
        var refused: [H264Backend] = []
        #expect(throws: CodecError.partMissing("libx264")) {
            try H264Backend.open(firstOf: [.vaapi, .x264]) { backend, _ in
                refused.append(backend)
            } open: { backend throws(CodecError) -> Int in
                throw .partMissing(backend.encoderName)
            } prove: { _ in
            }
        }
        #expect(refused == [.vaapi, .x264])
    }

    /// Also true on a machine with hardware, where fewer candidates are refused.
    @Test func aRefusalNamesWhatFailedAndThePictureIsEncodedAllTheSame() throws {
        let candidates = try #require(H264Backend.candidates(for: "auto"))
        var reasons: [String] = []
        let encoder = try H264Backend.open(firstOf: candidates) { backend, error in
            #expect(backend == candidates[reasons.count])
            reasons.append("\(error)")
        } open: { backend throws(CodecError) in
            try H264Encoder(settings, backend: backend)
        } prove: { encoder throws(CodecError) in
            try encoder.prove()
        }
        #expect(encoder.backend == candidates[reasons.count])
        #expect(reasons.allSatisfy { $0.contains("av") || $0.contains("h264_") })
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .black)
        var packets = try encoder.encode(picture, index: 0, forceKeyframe: true)
        packets += try encoder.flush()
        #expect(packets.map(\.isKeyframe) == [true])
    }

    @Test func chromaIsInterleavedAndLumaKept() throws {
        let picture = try VideoFrame.make(width: 64, height: 36) { planes in
            for (plane, base) in [(planes.y, 16), (planes.u, 40), (planes.v, 140)] {
                for y in 0..<plane.height {
                    for x in 0..<plane.width { plane[x, y] = UInt8(base + (x + 3 * y) % 90) }
                }
            }
        }
        let interleaver = try ChromaInterleaver(width: 64, height: 36)
        // Twice, so that the second overwrites the first one's result.
        _ = try interleaver.interleave(picture.handle.pointer)
        let result = try interleaver.interleave(picture.handle.pointer).pointee
        let luma = try #require(result.data.0)
        let chroma = try #require(result.data.1)
        picture.withPlanes { planes in
            for y in 0..<36 {
                for x in 0..<64 {
                    #expect(luma[y * Int(result.linesize.0) + x] == planes.y[x, y])
                }
            }
            for y in 0..<18 {
                for x in 0..<32 {
                    let pair = chroma + y * Int(result.linesize.1) + 2 * x
                    #expect(pair[0] == planes.u[x, y] && pair[1] == planes.v[x, y])
                }
            }
        }
    }

    /// Hardware provides the parameter sets only outside the stream.
    @Test func theMuxerAddsTheParameterSetsThatAnEncoderLeavesOut() throws {
        let encoder = try H264Encoder(settings)
        let picture = try VideoFrame.solid(width: 320, height: 180, colour: .white)
        var packets = try encoder.encode(picture, index: 0, forceKeyframe: true)
        packets += try encoder.flush()
        let sound = AudioStreamParameters(
            sampleRate: 48_000, channels: 2, bitrate: 64_000, audioSpecificConfig: [0x11, 0x90])
        let muxer = try TransportStreamMuxer(video: encoder.streamParameters, audio: sound)
        for var packet in packets {
            let slices = H264ParameterSets.units(inAnnexB: packet.data).filter {
                [1, 5].contains($0[0] & 0x1F)
            }
            packet.data = slices.flatMap { [0, 0, 0, 1] + $0 }
            try muxer.write(video: packet)
        }
        let transport = try #require(TransportStreamPackets(try muxer.finish().bytes)).packets
        let stream = transport.filter { $0.pid == 0x100 }.flatMap(\.payload)
        let types = H264ParameterSets.units(inAnnexB: stream).map { $0[0] & 0x1F }
        let idr = try #require(types.firstIndex(of: 5))
        #expect(types[..<idr].contains(9) && types[..<idr].contains(7))
        #expect(types[..<idr].contains(8))
    }
}
