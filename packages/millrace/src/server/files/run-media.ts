import type { ImageUrl } from '../../exit/index.ts'
import type { AgentEvent, RunStart } from '../../events/index.ts'
import { createKeepFiles, type FileKeepingOptions } from './keep-files.ts'
import { createImageKeeper, type ImageKeeperOptions } from './keep-images.ts'
import { fileOfBlock } from './stored-blocks.ts'

/** What events carry besides text: it goes into the store before the messages that name it. */
export interface RunMedia {
  /** Stores what an event carries; gives the event as it is to be told, at once if it carries nothing. */
  keep(event: AgentEvent): AgentEvent | Promise<AgentEvent>
  readonly imageUrl: ImageUrl
}

/** Builds what keeps the images and files of a run. */
export function createRunMedia(options: ImageKeeperOptions & FileKeepingOptions): RunMedia {
  const images = createImageKeeper(options)
  const keepFiles = createKeepFiles(options)
  return {
    imageUrl: images.imageUrl,
    keep: (event) => {
      images.forget()
      if (event.type === 'run_start') return withPromptFiles(event)
      if (event.type === 'tool_result' && event.images.length > 0) {
        return images.keep(event).then(() => event)
      }
      if ((event.type === 'files_ready' || event.type === 'run_end') && event.files.length > 0) {
        return keepFiles(event.files).then((files) => ({ ...event, files }))
      }
      return event
    },
  }
}

function withPromptFiles(event: RunStart): RunStart {
  const { prompt } = event
  if (typeof prompt === 'string') return event
  const promptFiles = prompt.flatMap((block, position) => {
    const file = fileOfBlock(block)
    return file === undefined ? [] : [{ block: position, ...file }]
  })
  return promptFiles.length === 0 ? event : { ...event, promptFiles }
}
