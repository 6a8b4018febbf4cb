import { MillraceError } from '../../../errors/index.ts'
import type { Envelope } from '../../../events/index.ts'
import { isJsonObject, parseJsonOr } from '../../../json/index.ts'
import type { FormatFrame, FormatReader } from '../../port/index.ts'
import type { AgUiEvent } from '../ag-ui-run.ts'
import { expandChunk, type OpenChunks } from './expand-chunk.ts'
import { ReadRun } from './read-run.ts'
import { readings } from './ag-ui-readings.ts'

/** Options of {@link agUiReader}. */
export interface AgUiReaderOptions {
  /** Id of the root agent; by default, the id of the thread. */
  readonly agent?: string
  /** Maximum length of the arguments of calls without results, in UTF-16 units. */
  readonly maxHeldLength?: number
}

/** Creates a reader that converts AG-UI 1.0, of any server, to frames. It ignores state, raw events and unknown types. */
export function agUiReader({
  agent,
  maxHeldLength = 64 * 1024 * 1024,
}: AgUiReaderOptions = {}): FormatReader {
  return new AgUiReader(new ReadRun(agent, maxHeldLength))
}

class AgUiReader implements FormatReader {
  readonly #run: ReadRun
  readonly #chunks: OpenChunks = new Map()

  constructor(run: ReadRun) {
    this.#run = run
  }

  read({ data = '' }: FormatFrame): readonly Envelope[] {
    // Other servers end their streams like those of other formats.
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
  const value = parseJsonOr(data, undefined)
  if (isEvent(value)) return value
  throw new MillraceError(
    'envelope_malformed',
    `This is not an event of AG-UI: ${JSON.stringify(data.slice(0, 80))}. Check the format of the stream.`,
  )
}

function isEvent(value: unknown): value is AgUiEvent {
  return isJsonObject(value) && typeof value['type'] === 'string'
}
