import type { ImageUrl, AgentEvent, RunInit } from '../../events/index.ts'
import { createFileStorage, type FileStorageOptions } from './provider-files.ts'
import { createImageStorage, type ImageStorageOptions } from './tool-images.ts'
import { fileOfBlock } from './stored-blocks.ts'

/** Storage for the images and files of events: stored before the frames that reference them. */
export interface RunMedia {
  /** Stores the media of an event and returns the event to record; synchronously if it has none. */
  keep(event: AgentEvent): AgentEvent | Promise<AgentEvent>
  readonly imageUrl: ImageUrl
}

/** Creates the media storage of a run. */
export function createRunMedia(options: ImageStorageOptions & FileStorageOptions): RunMedia {
  const images = createImageStorage(options)
  const keepFiles = createFileStorage(options)
  return {
    imageUrl: images.imageUrl,
    keep: (event) => {
      images.forget()
      if (event.type === 'run_start') return withPromptFiles(event)
      if (event.type === 'tool_result' && event.images.length > 0) {
        return images.keep(event).then(() => event)
      }
      if ((event.type === 'files' || event.type === 'run_end') && event.files.length > 0) {
        return keepFiles(event.files).then((files) => ({ ...event, files }))
      }
      return event
    },
  }
}

function withPromptFiles(event: RunInit): RunInit {
  const { prompt } = event
  if (typeof prompt === 'string') return event
  const promptFiles = prompt.flatMap((block, position) => {
    const file = fileOfBlock(block)
    return file === undefined ? [] : [{ block: position, ...file }]
  })
  return promptFiles.length === 0 ? event : { ...event, promptFiles }
}
