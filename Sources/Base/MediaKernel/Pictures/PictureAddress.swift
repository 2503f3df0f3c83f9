/// Where an image of a layout or of a participant comes from.
public enum PictureAddress: Hashable, Sendable {
    /// A server whose host is listed.
    case web(WebAddress)
    /// The server itself.
    case uploaded(UploadedPicture)

    /// Of a layout's image; nil for one that may not be shown: on a host that is not listed.
    ///
    /// - Parameter text: as in the layout.
    public init?(_ text: String, listed hosts: WebHosts) {
        if let picture = UploadedPicture(text) {
            self = .uploaded(picture)
        } else if let address = hosts.allowed(text) {
            self = .web(address)
        } else {
            return nil
        }
    }

    /// As layouts and participants name it.
    public var text: String {
        switch self {
        case .web(let address): address.text
        case .uploaded(let picture): picture.text
        }
    }
}
