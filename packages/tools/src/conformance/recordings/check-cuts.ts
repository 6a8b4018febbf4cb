import { isProviderEnd } from 'millrace/anthropic'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { type ReadMessage, readMessages } from './read-messages.ts'
import { EVERY_BYTE_LIMIT, type RecordingCheck, spread } from './recording-check.ts'

type Frames = readonly (JsonObject | undefined)[]

/** Checks that a cut at any byte yields one end for each message, and no call that can run unless it is complete. */
export const checkCuts: RecordingCheck = {
  name: 'one end at every cut',
  run({ bytes, frames, ends }) {
    const cuts = spread(bytes.length + 1, EVERY_BYTE_LIMIT)
    const faults: string[] = []
    let count = 0
    // A cut leaves the frames that were complete before it.
    let fault = faultOfFrames([])
    for (const cut of cuts) {
      const before = count
      while ((ends[count] ?? Infinity) <= cut) count++
      if (count > before) fault = faultOfFrames(frames.slice(0, count))
      if (fault !== undefined) faults.push(`cut at byte ${cut}: ${fault}`)
    }
    return { cases: cuts.length, faults }
  },
}

function faultOfFrames(came: Frames): string | undefined {
  const messages = readMessages(came)
  return faultOfEnds(messages, came) ?? faultOfCalls(messages, came)
}

/** Every message must have one end, as its last event, and complete only with its `message_stop`. */
function faultOfEnds(messages: readonly ReadMessage[], came: Frames): string | undefined {
  for (const { events } of messages) {
    const ends = events.filter(({ type }) => type === 'message_end').length
    if (ends !== 1 || events.at(-1)?.type !== 'message_end') return `a message has ${ends} ends`
  }
  const stops = came.filter((frame) => frame?.['type'] === 'message_stop').length
  const whole = messages.filter(({ end }) => isProviderEnd(end.outcome)).length
  if (whole > stops) return 'a message ended without message_stop'
  const isCut = messages.at(-1)?.end.outcome === 'interrupted'
  return isCut && stops > whole ? 'a message that ended is interrupted' : undefined
}

/** Calls must not be part of a message before the end of their block. */
function faultOfCalls(messages: readonly ReadMessage[], came: Frames): string | undefined {
  const { stopped, open } = findCalls(came)
  for (const { end } of messages) {
    const calls = end.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    const early = calls.find((id) => !stopped.has(id))
    if (early !== undefined) return `call ${String(early)} is in the message before it was complete`
  }
  const { cut = [], outcome } = messages.at(-1)?.end ?? {}
  // A message that has failed does not list later calls.
  if (open === undefined || outcome === 'failed') return undefined
  const isListed = cut.some(({ content }) => content['id'] === open)
  return isListed ? undefined : `call ${String(open)} was cut and is not listed as cut`
}

/** Finds the calls of the last message directly in its frames: at most one block is open at a time. */
function findCalls(frames: Frames) {
  const stopped = new Set<JsonValue | undefined>()
  let open: JsonValue | undefined
  for (const { type, message, content_block: block } of frames.filter(isJsonObject)) {
    if (type === 'message_start' && isJsonObject(message)) {
      const content = Array.isArray(message['content']) ? message['content'] : []
      for (const one of content.filter(isJsonObject)) stopped.add(one['id'])
    } else if (type === 'content_block_start' && isJsonObject(block)) {
      open = block['type'] === 'tool_use' ? block['id'] : undefined
    } else if (type === 'content_block_stop') {
      stopped.add(open)
      open = undefined
    } else if (type === 'message_stop') open = undefined
  }
  return { stopped, open }
}
