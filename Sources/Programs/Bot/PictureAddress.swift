import MediaKernel

/// Where an image comes from.
enum PictureAddress: Hashable, Sendable {
    /// A server whose host is listed.
    case web(WebAddress)
    /// The server itself.
    case uploaded(UploadedPicture)

    /// As layouts and participants name it.
    var text: String {
        switch self {
        case .web(let address): address.text
        case .uploaded(let picture): picture.text
        }
    }
}
