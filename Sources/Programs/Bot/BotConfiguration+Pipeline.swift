import ChildProcesses
import HLS
import MediaKernel
import Pipeline
import Streams

extension BotConfiguration {
    func pipeline(outputDirectory: String) -> PipelineConfiguration {
        var configuration = PipelineConfiguration(
            ladder: plan.ladder, segmentDuration: plan.segmentDuration, playlist: plan.playlist,
            outputDirectory: outputDirectory, title: room.rawValue,
            layout: plan.layout, preset: plan.preset, encoder: plan.encoder,
            sound: SoundOptions(roles: plan.audio.roles.map(Set.init), isAlone: plan.audio.only),
            isRecorded: isRecorded, isRecordingPaused: isRecordingPaused)
        configuration.container = plan.container
        configuration.captions = plan.captions
        configuration.partFrames = plan.partFrames
        configuration.pushes = PipelineConfiguration.Pushes(
            hosts: plan.pushHosts, outputs: outputs)
        return configuration
    }
}
