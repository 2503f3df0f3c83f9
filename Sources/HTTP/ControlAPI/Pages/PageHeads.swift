import Catalogue
import HLS
import HTTPTypes
import Hummingbird
import MediaKernel
import Streams

/// The heads of the pages of rooms, streams and recordings.
struct PageHeads: Sendable {
    let control: any LiveStreamControl
    let library: RecordingLibrary
    let endpoints: Endpoints
    let languages: Languages
    let clock: @Sendable () -> UnixTime

    /// How long the picture of a stream can be fetched: those who show links keep their own copy.
    private static let pictureLifetime: Duration = .seconds(7 * 86_400)
    static let cardPath = "/assets/common/card.png"

    /// Of a room's page. Nothing of what happens in the room.
    func room(_ id: RoomID, _ request: Request) -> PageHead {
        let title = RoomName.title(of: id)
        let texts = languages.texts(for: request)
        return PageHead(
            title: title,
            description: texts(
                "You are invited to the room “{room}”. Open the link to join.", ["room": title]),
            url: "\(endpoints.base(for: request))/rooms/\(id)", picture: card(request))
    }

    /// Of the page on which a room's stream can be watched.
    func watch(_ id: RoomID, _ request: Request) async -> PageHead {
        let title = RoomName.title(of: id)
        let texts = languages.texts(for: request)
        // A head is no reason to refuse a page.
        let stream = (try? await control.current(room: id, kind: .stream)) ?? nil
        let words =
            switch stream?.status {
            case .starting?: texts("The stream is about to begin.")
            case .running?: texts("Live now. Open the link to watch.")
            case .stopping?, .postProcessing?, .completed?: texts("The stream has ended.")
            case .failed?, nil: texts("Open the link to watch as soon as the stream begins.")
            }
        var picture = card(request)
        if let stream, stream.status.isFinal, let found = await thumbnail(of: stream) {
            picture = found.picture(
                base: endpoints.base(for: request),
                description: texts("A picture of “{title}”", ["title": title]))
        } else if let stream, LivePictures.shows(stream) {
            picture = livePicture(of: stream, title: title, request)
        }
        return PageHead(
            title: title, description: words, url: "\(endpoints.base(for: request))/watch/\(id)",
            kind: "video.other", picture: picture)
    }

    /// Of the page that shows one recording to whoever has its address.
    func recording(_ card: RecordingCard, link: String, _ request: Request) -> PageHead {
        let base = endpoints.base(for: request)
        let title = card.name ?? card.roomTitle
        let texts = languages.texts(for: request)
        let date = String(card.createdAt.prefix(10))
        let words = card.duration.map { duration in
            texts(
                "Recorded on {date}, {length}. Open the link to watch.",
                ["date": date, "length": Self.clock(duration)])
        }
        let pictured = card.assets.first { $0.thumbnailURL != nil }
        var picture = self.card(request)
        if let path = pictured?.thumbnailURL {
            picture = PageHead.Picture(
                url: base + path,
                description: texts("A picture of “{title}”", ["title": title]))
        }
        return PageHead(
            title: title,
            description: words
                ?? texts("Recorded on {date}. Open the link to watch.", ["date": date]),
            url: "\(base)/shared/\(link)", kind: "video.other", picture: picture)
    }

    private func card(_ request: Request) -> PageHead.Picture {
        PageHead.Picture(
            url: endpoints.base(for: request) + Self.cardPath,
            description: languages.texts(for: request)("Roomcast: rooms that go live"), width: 1200,
            height: 630)
    }

    /// Of what the stream shows now. Each stream's has an address of its own, since those who show
    /// links keep their copy.
    private func livePicture(
        of stream: LiveStream, title: String, _ request: Request
    ) -> PageHead.Picture {
        let layer = stream.plan.ladder.layers.first
        let size = layer.map { StreamPreview.size(of: $0.width, $0.height) }
        let path = PageRoutes.picturePath(in: stream.room.rawValue)
        return PageHead.Picture(
            url: "\(endpoints.base(for: request))\(path)?stream=\(stream.id)",
            description: languages.texts(for: request)("“{title}”, live", ["title": title]),
            width: size?.width, height: size?.height)
    }

    private struct Thumbnail {
        var path: String
        var image: RecordingThumbnails.Thumbnail

        func picture(base: String, description: String) -> PageHead.Picture {
            PageHead.Picture(
                url: base + path, description: description, width: image.width, height: image.height
            )
        }
    }

    /// Of a stream that anyone who knows the room could watch.
    private func thumbnail(of stream: LiveStream) async -> Thumbnail? {
        guard stream.kind == .stream,
            let assets = try? await library.catalogue.assets(of: [stream.id])[stream.id],
            let notes = try? await RecordingNotes(library.catalogue).notes(of: [stream.id]),
            notes[stream.id]?.deletedAt == nil
        else { return nil }
        for asset in assets {
            guard let image = asset.thumbnails?.thumbnails.first,
                let link = library.link(to: asset, at: clock(), lifetime: Self.pictureLifetime),
                let path = link.thumbnailPaths.first
            else { continue }
            return Thumbnail(path: path, image: image)
        }
        return nil
    }

    /// "4:05", "1:02:03".
    private static func clock(_ duration: Double) -> String {
        let seconds = Int(min(max(duration, 0), 1e8))
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}
