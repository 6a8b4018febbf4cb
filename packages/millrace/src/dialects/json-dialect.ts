import { blockKey, encodeEnvelope, type Envelope, traitsOf } from '../envelope/index.ts'
import { DONE_DATA } from '../sse/index.ts'
import type { Dialect, DialectFrame, DialectWriter } from '../telling/index.ts'
import { ROLLBACK_ERROR } from './rollback-error.ts'

/** How envelopes are written. */
export interface JsonDialectOptions {
  /** With `none` there are the thirteen types of the seed alone, without the fields that it does not know. [EXT-2] */
  readonly extensions?: 'all' | 'none'
}

/** The envelopes themselves, which every other dialect is made of. */
export function jsonDialect({ extensions = 'all' }: JsonDialectOptions = {}): Dialect {
  return {
    name: 'json',
    headers: {},
    done: DONE_DATA,
    open: (session) => (extensions === 'all' ? identity : new SeedWriter(session)),
  }
}

const identity: DialectWriter = {
  write: (envelope) => [{ data: encodeEnvelope(envelope) }],
  finish: () => [],
}

/** The types that the seed has. */
const seedTypes: ReadonlySet<string> = new Set([
  'meta_init',
  'thinking',
  'text',
  'citation',
  'tool_call',
  'server_tool_call',
  'tool_result',
  'tool_result_image',
  'server_tool_result',
  'awaiting_frontend_tools',
  'meta_files',
  'error',
  'meta_final',
])

class SeedWriter implements DialectWriter {
  readonly #session: string
  /** Blocks that have begun and are not over, by key. */
  readonly #open = new Map<string, Envelope>()
  /** A rollback has ended what can be said of this run. */
  #isOver = false

  constructor(session: string) {
    this.#session = session
  }

  write(envelope: Envelope): readonly DialectFrame[] {
    if (this.#isOver) return this.#pass(envelope)
    if (envelope.type === 'rollback') return this.#end(envelope)
    if (!seedTypes.has(envelope.type)) return []
    this.#track(envelope)
    return [toFrame(envelope)]
  }

  finish(): readonly DialectFrame[] {
    return []
  }

  /** Says nothing until the root begins anew. */
  #pass(envelope: Envelope): readonly DialectFrame[] {
    this.#isOver = envelope.type !== 'meta_init' || envelope.agent !== this.#session
    return this.#isOver ? [] : this.write(envelope)
  }

  #end({ agent, final }: Envelope): readonly DialectFrame[] {
    if (!final) return []
    this.#isOver = true
    const closing = [...this.#open.values()].map((open) =>
      toFrame({ ...open, final: true, delta: '' }),
    )
    this.#open.clear()
    return [...closing, toFrame({ type: 'error', agent, final: true, delta: ROLLBACK_ERROR })]
  }

  #track(envelope: Envelope): void {
    if (traitsOf(envelope.type)?.unit === 'item') return
    const key = blockKey(envelope)
    if (envelope.final) this.#open.delete(key)
    else if (!this.#open.has(key)) this.#open.set(key, envelope)
  }
}

function toFrame(envelope: Envelope): DialectFrame {
  // `more` stays: without it the pieces of a field could not be told from several fields. [CHUNK-5]
  const { span, is_error, redacted, server_name, ...known } = envelope
  return { data: encodeEnvelope(known) }
}
