import { draftTranscript } from './reduce/draft.ts'
import { emptySequence } from './sequence.ts'
import type { Transcript } from './transcript.ts'

/** A transcript of nothing yet; with `lastId`, of a log whose messages up to that id are gone. */
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
