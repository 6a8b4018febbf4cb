import { draftTranscript } from './reduce/draft.ts'
import { emptySequence } from './sequence.ts'
import type { Transcript } from './transcript.ts'

/** Creates an empty transcript; with `lastId`, of a log whose frames up to this id are trimmed. */
export function createTranscript(lastId = 0): Transcript {
  return draftTranscript({
    status: 'idle',
    lastId,
    agents: emptySequence(),
    pending: [],
    queue: [],
    files: [],
  })
}
