import { decodeEnvelope } from 'millrace'
import { isMillraceError } from 'millrace'
import type { JsonObject } from 'millrace'
import { DONE_DATA, type SseEvent } from 'millrace'
import { toView } from 'millrace/testing'
import {
  createTranscript,
  cutTranscript,
  endTranscript,
  foreignError,
  reduceTranscript,
  type Transcript,
} from 'millrace'
import type { Task } from '../implementation.ts'
import { decodeFrames } from './decode-frames.ts'

/** What a person sees after the messages of a case. */
export function readTranscript(task: Task): JsonObject {
  return toView(readEvents(decodeFrames(task), task.input['closed'] === true))
}

/** What cannot be read as a message is the end of the stream, and is shown as the failure that it is. */
function readEvents(events: readonly SseEvent[], isClosed: boolean): Transcript {
  let transcript = createTranscript()
  let isDone = false
  try {
    for (const { data, id } of events) {
      isDone = data === DONE_DATA
      transcript = isDone ? endTranscript(transcript) : takeLine(transcript, data, id)
    }
  } catch (error) {
    if (isMillraceError(error)) return foreignError(transcript, error.message)
    throw error
  }
  return isClosed && !isDone ? cutTranscript(transcript) : transcript
}

function takeLine(transcript: Transcript, line: string, id: string | undefined): Transcript {
  const position = id === undefined ? undefined : Number(id)
  return reduceTranscript(transcript, decodeEnvelope(line), position)
}
