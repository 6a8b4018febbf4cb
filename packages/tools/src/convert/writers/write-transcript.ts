import { createFrameReducer, toView } from 'millrace/testing'
import { createTranscript, cutTranscript, endTranscript } from 'millrace'
import { type Stage, DONE, type WireItem } from '../stage.ts'

/** Writes the final view of a stream as one JSON document. */
export function writeTranscript(): Stage<WireItem, string> {
  const reduce = createFrameReducer()
  let transcript = createTranscript()
  let isDone = false
  return {
    push(item) {
      isDone = item === DONE
      transcript = item === DONE ? endTranscript(transcript) : reduce(transcript, item)
      return []
    },
    end() {
      const { submit_enabled_after_answers: _, ...view } = toView(
        isDone ? transcript : cutTranscript(transcript),
      )
      return [`${JSON.stringify(view, undefined, 2)}\n`]
    },
  }
}
