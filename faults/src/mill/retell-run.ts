import { createTranscript, endTranscript } from 'millrace'
import { createFrameReducer, toView } from 'millrace/testing'
import type { SeenFrame } from './follow-session.ts'

const randomIds = /toolu_\w+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

/** Tells what a reader has in the end, with what was taken back left out, in words that are the same for each run. */
export function retellFrames(frames: readonly SeenFrame[]): string {
  const reduce = createFrameReducer()
  const transcript = frames.reduce(
    (known, { id, data }) => reduce(known, data, id),
    createTranscript(),
  )
  return nameInOrder(JSON.stringify(toView(endTranscript(transcript))))
}

/** Tells what the history says of a run, times aside, in words that are the same for each run. */
export function retellConversation(json: string): string {
  const conversation = JSON.parse(json) as Readonly<Record<string, unknown>>
  const { started_at: _started, completed_at: _completed, times: _times, ...rest } = conversation
  return nameInOrder(JSON.stringify(rest))
}

/** Ids are random; what counts is where each of them stands. */
function nameInOrder(text: string): string {
  const names = new Map<string, string>()
  return text.replace(randomIds, (id) => {
    const name = names.get(id) ?? `id-${names.size + 1}`
    names.set(id, name)
    return name
  })
}
