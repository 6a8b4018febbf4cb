import { MillraceError } from '../../../errors/index.ts'
import type { Envelope } from '../../../envelope/index.ts'
import { isJsonObject } from '../../../json/index.ts'
import type { DialectFrame, DialectReader } from '../../port/index.ts'
import type { AgUiEvent } from '../ag-ui-event.ts'
import { expandChunk, type OpenChunks } from './expand-chunk.ts'
import { ReadRun } from './read-run.ts'
import { readings } from './ag-ui-readings.ts'

/** How AG-UI streams are read. */
export interface AgUiReaderOptions {
  /** The id of the root agent; that of the thread if there is none. */
  readonly agent?: string
  /** How many UTF-16 units of arguments may be held for calls without results. */
  readonly maxHeldLength?: number
}

/**
 * Reads AG-UI 1.0, of this server or of others, into messages. State, its changes and raw events have no place among
 * them and are passed over, as are types that are not known.
 */
export function agUiReader({
  agent,
  maxHeldLength = 64 * 1024 * 1024,
}: AgUiReaderOptions = {}): DialectReader {
  return new AgUiReader(new ReadRun(agent, maxHeldLength))
}

class AgUiReader implements DialectReader {
  readonly #run: ReadRun
  readonly #chunks: OpenChunks = new Map()

  constructor(run: ReadRun) {
    this.#run = run
  }

  read({ data = '' }: DialectFrame): readonly Envelope[] {
    // Other servers end their streams in the way of other formats.
    if (data === '' || data === '[DONE]') return []
    for (const event of expandChunk(parse(data), this.#chunks))
      readings[event.type]?.(this.#run, event)
    return this.#run.log.take()
  }

  finish(): readonly Envelope[] {
    this.#run.cut()
    return this.#run.log.take()
  }
}

function parse(data: string): AgUiEvent {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    value = undefined
  }
  if (isEvent(value)) return value
  throw new MillraceError(
    'envelope_malformed',
    `This is no event of AG-UI: ${JSON.stringify(data.slice(0, 80))}. Check that the stream is one.`,
  )
}

function isEvent(value: unknown): value is AgUiEvent {
  return isJsonObject(value) && typeof value['type'] === 'string'
}
