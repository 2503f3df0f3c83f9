import Codec

/// Makes pictures of a track's frames.
protocol PictureDecoder: AnyObject {
    /// - Returns: the pictures that are now complete, usually one, in presentation order.
    func decode(_ frame: IncomingFrame) throws(CodecError) -> [DecodedVideo]
}

extension VideoDecoder: PictureDecoder {
    func decode(_ frame: IncomingFrame) throws(CodecError) -> [DecodedVideo] {
        try decode(frame.data, timestamp: frame.timestamp)
    }
}

extension PixelReader: PictureDecoder {
    func decode(_ frame: IncomingFrame) throws(CodecError) -> [DecodedVideo] {
        let size = frame.size ?? IncomingFrame.Size(width: 0, height: 0)
        let picture = try read(frame.data, width: size.width, height: size.height)
        return [DecodedVideo(frame: picture, timestamp: frame.timestamp)]
    }
}
