import ChildProcesses
import HLS
import MediaKernel
import Pipeline

extension BotConfiguration {
    func pipeline(outputDirectory: String) -> PipelineConfiguration {
        PipelineConfiguration(
            ladder: ladder, segmentDuration: segmentDuration, playlist: playlist,
            outputDirectory: outputDirectory, title: room.rawValue,
            layout: layout, preset: preset, encoder: encoder,
            sound: SoundOptions(roles: audio.roles.map(Set.init), isAlone: audio.only),
            isRecorded: isRecorded, isRecordingPaused: isRecordingPaused)
    }
}
