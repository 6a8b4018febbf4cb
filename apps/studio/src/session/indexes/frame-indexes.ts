import type { LoggedFrame } from '../frames/index.ts'
import { createCallTimes } from './call-times.ts'
import type { CallTimes } from './call-times.ts'
import { createEditedCalls } from './edited-calls.ts'
import type { EditedCalls } from './edited-calls.ts'
import { createFileRuns } from './file-runs.ts'
import type { FileRuns } from './file-runs.ts'
import { createPromptFiles } from './prompt-files.ts'
import type { PromptFiles } from './prompt-files.ts'

/** Facts of a session that its transcript does not keep, read from its frames. */
export interface FrameIndexes {
  readonly callTimes: CallTimes
  readonly editedCalls: EditedCalls
  readonly fileRuns: FileRuns
  readonly promptFiles: PromptFiles
}

/** Creates empty indexes and the function that adds a frame to all of them. */
export function createFrameIndexes() {
  const indexes = {
    callTimes: createCallTimes(),
    editedCalls: createEditedCalls(),
    fileRuns: createFileRuns(),
    promptFiles: createPromptFiles(),
  } satisfies FrameIndexes
  const all = Object.values(indexes)
  const addFrame = (frame: LoggedFrame): void => {
    for (const index of all) index.add(frame)
  }
  return { indexes, addFrame }
}
