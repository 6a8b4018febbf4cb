import {
  type ContentBlock,
  type Model,
  type ModelEvent,
  retryOfCut,
} from '../../../src/events/index.ts'
import { createGate } from './agent-harness.ts'

/** A model that counts, and pauses in the middle until it is released. */
export interface GatedModel extends Model {
  /** Releases every answer, later ones too; before that, each stops at the tenth number. */
  readonly release: () => void
  /** Makes later answers stop at the tenth number again. */
  readonly hold: () => void
}

const usage = { input_tokens: 1, output_tokens: 1 }
const count = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `${from + n} `)

/** Creates a {@link GatedModel}; a whole answer is the numbers up to 99. */
export function createGatedModel(): GatedModel {
  let gate = createGate()
  return {
    id: 'gated',
    release: () => gate.open(),
    hold: () => {
      gate = createGate()
    },
    stream: (_request, { signal = new AbortController().signal } = {}) => say(gate.passed, signal),
  }
}

async function* say(gate: Promise<void>, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const block = 0
  const kind = 'text' as const
  yield { type: 'message_start', messageId: 'm', model: 'gated' }
  yield { type: 'block_start', block, kind, content: { type: 'text', text: '' } }
  for (const text of count(0, 10)) yield { type: 'block_delta', block, text }
  await Promise.race([gate, aborted(signal)])
  const isCut = signal.aborted
  if (!isCut) for (const text of count(10, 100)) yield { type: 'block_delta', block, text }
  const whole: ContentBlock = { type: 'text', text: count(0, isCut ? 10 : 100).join('') }
  if (!isCut) yield { type: 'block_end', block, kind, content: whole }
  yield {
    type: 'message_end',
    outcome: isCut ? 'aborted' : 'finished',
    stopReason: isCut ? null : 'end_turn',
    usage,
    content: [whole],
    retry: isCut ? retryOfCut('aborted', { isBegun: true, failure: undefined }) : 'none',
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
