internal import HundredMSTerms
internal import Rooms

extension PublishParameters {
    /// Fills in 100ms' defaults. Its web client reads `video` for the role of every peer with a
    /// camera, and all three for its own role, without checking that they exist. It also calculates
    /// with two numbers of every layer.
    func complete(for client: ClientKind) -> PublishParameters {
        let camera = (video ?? .camera).known(to: client)
        let display = (screen ?? .screen).known(to: client)
        return PublishParameters(
            allowed: allowed, audio: audio ?? AudioParameters(), video: camera, screen: display,
            simulcast: simulcast.map { layers in
                SimulcastParameters(
                    video: layers.video.complete(bitRate: camera.bitRate),
                    screen: layers.screen.complete(bitRate: display.bitRate))
            })
    }
}

extension VideoParameters {
    /// The same, but with the default codec if the client does not know this one: a library whose
    /// lookup fails may fail altogether.
    fileprivate func known(to client: ClientKind) -> VideoParameters {
        guard !client.knows(codec: codec) else { return self }
        var known = self
        known.codec = Self.camera.codec
        return known
    }
}

extension SimulcastLayers {
    /// Fills in the full size and the whole bitrate for missing fields.
    fileprivate func complete(bitRate: Int) -> SimulcastLayers {
        SimulcastLayers(
            layers: layers?.map { layer in
                var layer = layer
                layer.scaleResolutionDownBy = layer.scaleResolutionDownBy ?? 1
                layer.maxBitrate = layer.maxBitrate ?? bitRate
                return layer
            })
    }
}
