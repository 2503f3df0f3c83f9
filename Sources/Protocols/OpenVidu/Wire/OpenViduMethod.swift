/// The methods of clients.
enum OpenViduMethod: String, CaseIterable {
    case ping, connect, sessionStatus, echo
    case joinRoom, leaveRoom
    case publishVideo, unpublishVideo
    case prepareReceiveVideoFrom, receiveVideoFrom, unsubscribeFromVideo
    case onIceCandidate, reconnectStream
    case sendMessage, streamPropertyChanged, videoData
    case forceUnpublish, forceDisconnect
}
