import { isMillraceError } from 'millrace'
import type { JsonObject } from 'millrace'
import { DONE_DATA, type SseEvent } from 'millrace'
import { createFrameReducer, toView } from 'millrace/testing'
import {
  createTranscript,
  cutTranscript,
  endTranscript,
  foreignError,
  type Transcript,
} from 'millrace'
import type { Task } from '../implementation.ts'
import { decodeFrames } from './decode-frames.ts'

/** Returns the view of a person after the envelopes of a case. */
export function readTranscript(task: Task): JsonObject {
  return toView(readEvents(decodeFrames(task), task.input['closed'] === true))
}

/** Returns the transcript; a line that is not an envelope ends the stream and is shown as a failure. */
function readEvents(events: readonly SseEvent[], isClosed: boolean): Transcript {
  const reduce = createFrameReducer()
  let transcript = createTranscript()
  let isDone = false
  try {
    for (const { data, id } of events) {
      isDone = data === DONE_DATA
      const position = id === undefined ? undefined : Number(id)
      transcript = isDone ? endTranscript(transcript) : reduce(transcript, data, position)
    }
  } catch (error) {
    if (isMillraceError(error)) return foreignError(transcript, error.message)
    throw error
  }
  return isClosed && !isDone ? cutTranscript(transcript) : transcript
}
