import Foundation

/// The ids of a publisher's tracks in the room, for one publication.
struct TrackNames: Hashable, Sendable {
    let stream = UUID().uuidString.lowercased()
    let video = UUID().uuidString.lowercased()
    let audio = UUID().uuidString.lowercased()
    let screenStream = UUID().uuidString.lowercased()
    let screen = UUID().uuidString.lowercased()
}
