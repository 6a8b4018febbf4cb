import { isProviderEnd } from 'millrace/anthropic'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { type ReadMessage, readMessages } from './read-messages.ts'
import { EVERY_BYTE_LIMIT, type RecordingCheck, spread } from './recording-check.ts'

type Frames = readonly (JsonObject | undefined)[]

/** A cut at any byte gives one end for each message, and no call that may run unless it is whole. */
export const checkCuts: RecordingCheck = {
  name: 'one end at every cut',
  run({ bytes, frames, ends }) {
    const cuts = spread(bytes.length + 1, EVERY_BYTE_LIMIT)
    const faults: string[] = []
    let count = 0
    // What a cut leaves is the frames that were whole before it.
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

/** Every message ends once, at last, and by itself only if its `message_stop` has come. */
function faultOfEnds(messages: readonly ReadMessage[], came: Frames): string | undefined {
  for (const { events } of messages) {
    const ends = events.filter(({ type }) => type === 'message_end').length
    if (ends !== 1 || events.at(-1)?.type !== 'message_end') return `a message has ${ends} ends`
  }
  const stops = came.filter((frame) => frame?.['type'] === 'message_stop').length
  const whole = messages.filter(({ end }) => isProviderEnd(end.outcome)).length
  if (whole > stops) return 'a message came to its end without message_stop'
  const isCut = messages.at(-1)?.end.outcome === 'interrupted'
  return isCut && stops > whole ? 'a message that came to its end is interrupted' : undefined
}

/** Calls that are no part of a message until their block has stopped. */
function faultOfCalls(messages: readonly ReadMessage[], came: Frames): string | undefined {
  const { stopped, open } = findCalls(came)
  for (const { end } of messages) {
    const calls = end.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    const early = calls.find((id) => !stopped.has(id))
    if (early !== undefined) return `call ${String(early)} is in the message before it was whole`
  }
  const { cut = [], outcome } = messages.at(-1)?.end ?? {}
  // A message that has failed hears of no later call.
  if (open === undefined || outcome === 'failed') return undefined
  const isListed = cut.some(({ content }) => content['id'] === open)
  return isListed ? undefined : `call ${String(open)} was cut and is not said to be`
}

/** The calls of the last message, by a plain reading of its frames: at most one block is open at a time. */
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
