import { MillraceError } from '../../../errors/index.ts'
import type { Envelope } from '../../../events/index.ts'
import { isJsonObject, parseJsonOr } from '../../../json/index.ts'
import type { FormatFrame, FormatReader } from '../../port/index.ts'
import { type AgUiEvent, type AgUiFields, toAgUiEvent, wordsOf } from '../ag-ui-event.ts'
import { readings } from './ag-ui-readings.ts'
import { ReadRun } from './read-run.ts'

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

/** The open message or call of each agent's chunks, by the agent's tag. */
export type OpenChunks = Map<string, { readonly kind: ChunkKind; readonly id: string }>

interface ChunkKind {
  readonly idField: string
  readonly start: string
  readonly grow: string
  readonly end: string
}

const kinds: ReadonlyMap<string, ChunkKind> = new Map([
  [
    'TEXT_MESSAGE_CHUNK',
    {
      idField: 'messageId',
      start: 'TEXT_MESSAGE_START',
      grow: 'TEXT_MESSAGE_CONTENT',
      end: 'TEXT_MESSAGE_END',
    },
  ],
  [
    'TOOL_CALL_CHUNK',
    {
      idField: 'toolCallId',
      start: 'TOOL_CALL_START',
      grow: 'TOOL_CALL_ARGS',
      end: 'TOOL_CALL_END',
    },
  ],
  [
    'REASONING_MESSAGE_CHUNK',
    {
      idField: 'messageId',
      start: 'REASONING_MESSAGE_START',
      grow: 'REASONING_MESSAGE_CONTENT',
      end: 'REASONING_MESSAGE_END',
    },
  ],
])

/** Events that do not end the message or call of surrounding chunks. */
const beside: ReadonlySet<string> = new Set([
  'RAW',
  'CUSTOM',
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
])

/** Expands a chunk to start, content and end events. The next other event of the same agent ends its message or call. */
export function expandChunk(event: AgUiEvent, open: OpenChunks): readonly AgUiEvent[] {
  const tag = wordsOf(event['subagentRunId']) ?? ''
  const kind = kinds.get(event.type)
  if (kind === undefined) return beside.has(event.type) ? [event] : [...endOf(tag, open), event]
  const before = open.get(tag)
  const id = wordsOf(event[kind.idField]) ?? (before?.kind === kind ? before.id : undefined)
  if (id === undefined) return []
  const owner: AgUiFields = { subagentRunId: tag === '' ? undefined : tag }
  const events: AgUiEvent[] = []
  if (before?.kind !== kind || before.id !== id) {
    events.push(...endOf(tag, open), { ...event, type: kind.start, [kind.idField]: id })
    open.set(tag, { kind, id })
  }
  const delta = wordsOf(event['delta'])
  if (delta !== undefined)
    events.push(toAgUiEvent(kind.grow, { [kind.idField]: id, delta, ...owner }))
  return events
}

function endOf(tag: string, open: OpenChunks): readonly AgUiEvent[] {
  const chunk = open.get(tag)
  if (chunk === undefined) return []
  open.delete(tag)
  const subagentRunId = tag === '' ? undefined : tag
  return [toAgUiEvent(chunk.kind.end, { [chunk.kind.idField]: chunk.id, subagentRunId })]
}
