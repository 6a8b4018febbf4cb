import { envelopeFormatter, type ProviderInput } from '../../formatters/index.ts'
import type { Stage } from './stage.ts'
import { DONE, type WireItem } from './wire-item.ts'

/** Turns what a provider says into the messages of a run, which nobody has asked for anything. */
export function toWire(agent: string, format: string): Stage<ProviderInput, WireItem> {
  const run = { runId: 'converted', prompt: '' }
  let odd = 0
  const formatter = envelopeFormatter({ agent, format, run, onNotice: () => void odd++ })
  return {
    push: (input) => formatter.feed(input),
    end: () => [...formatter.finish(), DONE],
    notes: () =>
      odd === 0 ? [] : [`${odd} odd or unknown events of the provider changed nothing.`],
  }
}
