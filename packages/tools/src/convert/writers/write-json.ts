import {
  blockKey,
  chunkPayload,
  createJoiner,
  type Envelope,
  type Extras,
  traitsOf,
} from 'millrace'
import { DONE_DATA } from 'millrace'
import { DONE, type Framing, type Stage, type WireItem } from '../stage.ts'

/** Writes JSON envelopes, each within the limit, numbered from 1. */
export function writeJson(frame: Framing, maxBytes: number): Stage<WireItem, string> {
  const cut = createCutter(maxBytes)
  let id = 0
  return {
    push(item) {
      if (item === DONE) return [frame({ data: DONE_DATA })]
      return cut(item).map((data) => frame({ id: ++id, data }))
    },
    end: () => [],
  }
}

/** Splits frames by the limit, after joining those that were split by another. */
function createCutter(maxBytes: number): (envelope: Envelope) => string[] {
  const joiner = createJoiner()
  const held = new Set<string>()
  return ({ span: _span, ...envelope }) => {
    const key = blockKey(envelope)
    if (envelope.more === undefined && !held.has(key)) return toLines(envelope, maxBytes)
    const whole = joiner.push(envelope)
    if (whole === undefined) held.add(key)
    else held.delete(key)
    return whole === undefined ? [] : toLines(whole, maxBytes)
  }
}

function toLines(envelope: Envelope, maxBytes: number): string[] {
  const { type, agent, final, delta: payload, ...extras } = envelope
  // A frame that was merged for catch-up closes its block with its last text. [LOG-5]
  const isMerged = final && payload !== '' && traitsOf(type)?.emission === 'incremental'
  const base = { type, agent, extras: extras as Extras, maxBytes }
  const lines = [...chunkPayload({ ...base, payload, final: final && !isMerged })]
  return isMerged ? [...lines, ...chunkPayload({ ...base, payload: '' })] : lines
}
