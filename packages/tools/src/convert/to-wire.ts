import { envelopeFormatter, type ProviderInput } from 'millrace/formatters'
import { createOwnCalls } from './own-calls.ts'
import type { Stage } from './stage.ts'
import { DONE, type WireItem } from './wire-item.ts'

/** Converts provider events to the frames of a run without a prompt. */
export function toWire(agent: string, format: string): Stage<ProviderInput, WireItem> {
  const run = { runId: 'converted', prompt: '' }
  let odd = 0
  const formatter = envelopeFormatter({ agent, format, run, onNotice: () => void odd++ })
  const toOwn = createOwnCalls()
  return {
    push: (input) => formatter.feed(input).flatMap(toOwn),
    end: () => [...formatter.finish().flatMap(toOwn), DONE],
    notes: () => (odd === 0 ? [] : [`${odd} irregular or unknown provider events were ignored.`]),
  }
}
