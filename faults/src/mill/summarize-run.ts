import { createTranscript, endTranscript } from 'millrace'
import { createFrameReducer, toView } from 'millrace/testing'
import type { SeenFrame } from './follow-session.ts'

const randomIds = /toolu_\w+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

/**
 * Summarizes the final content of a reader, without void content, in a form that is the same for
 * each run.
 */
export function summarizeFrames(frames: readonly SeenFrame[]): string {
  const reduce = createFrameReducer()
  const transcript = frames.reduce(
    (known, { id, data }) => reduce(known, data, id),
    createTranscript(),
  )
  return nameInOrder(JSON.stringify(toView(endTranscript(transcript))))
}

/** Summarizes the history of a run, without times, in a form that is the same for each run. */
export function summarizeConversation(json: string): string {
  const conversation = JSON.parse(json) as Readonly<Record<string, unknown>>
  const { started_at: _started, completed_at: _completed, times: _times, ...rest } = conversation
  return nameInOrder(JSON.stringify(rest))
}

/** Ids are random, so only their positions count. */
function nameInOrder(text: string): string {
  const names = new Map<string, string>()
  return text.replace(randomIds, (id) => {
    const name = names.get(id) ?? `id-${names.size + 1}`
    names.set(id, name)
    return name
  })
}
