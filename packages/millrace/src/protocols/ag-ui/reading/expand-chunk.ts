import { type AgUiEvent, type AgUiFields, toAgUiEvent, wordsOf } from '../ag-ui-run.ts'

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
