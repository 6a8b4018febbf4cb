import { MillraceError } from '../../errors/index.ts'
import { type Envelope, isPauseReason } from '../../events/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject, parseJsonOr } from '../../json/index.ts'
import {
  createInvocationReader,
  defaultProjections,
  type SegmentContent,
  type SegmentEnd,
  type SegmentEndPayload,
  type SegmentEvent,
  type SegmentStart,
  type SegmentType,
  segmentTypes,
  type ToolInvocation,
} from '../../segments/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { FormatFrame, FormatReader } from '../port/index.ts'

/** Options of {@link segmentsReader}. */
export interface SegmentsReaderOptions {
  /** Agent of segments that name none. */
  readonly agent: string
  /** Maximum length of the arguments of open calls, in UTF-16 units. */
  readonly maxHeldLength?: number
}

/** Creates a reader of segment events, from a run or from a parser of text. */
export function segmentsReader(options: SegmentsReaderOptions): FormatReader {
  return new SegmentsReader(options)
}

interface OpenSegment {
  readonly start: SegmentStart
  readonly agent: string
  content: string
}

/** State of an agent. A paused agent continues without another start. [LIFE-1] */
type AgentState = 'running' | 'paused' | 'failed' | 'ended'

const proseTypes: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['reasoning', 'thinking'],
])

const truncated: JsonObject = {
  type: 'stream_truncated',
  message: 'The stream of segments has no end. Connect again.',
  code: 'stream_truncated',
  retriable: true,
}

class SegmentsReader implements FormatReader {
  readonly #root: string
  readonly #maxHeldLength: number
  readonly #invocations = createInvocationReader()
  readonly #agents = new Map<string, AgentState>()
  readonly #open = new Map<string, OpenSegment>()
  #heldLength = 0
  #isDone = false
  #envelopes: Envelope[] = []

  constructor({ agent, maxHeldLength = 64 * 1024 * 1024 }: SegmentsReaderOptions) {
    this.#root = agent
    this.#maxHeldLength = maxHeldLength
  }

  read({ data = '' }: FormatFrame): readonly Envelope[] {
    this.#isDone = data === DONE_DATA
    if (this.#isDone) return []
    const value = readData(data)
    const beside = this.#besides.get(String(value['type']))
    if (beside !== undefined) beside(isJsonObject(value['payload']) ? value['payload'] : {})
    else this.#take(toSegmentEvent(value))
    return this.#give()
  }

  finish(): readonly Envelope[] {
    if (this.#agents.size === 0) return []
    const isRunning = this.#agents.get(this.#root) === 'running'
    if (isRunning && (!this.#isDone || this.#open.size > 0)) this.#fail(this.#root, truncated)
    // Sub-agents first, because they started last.
    for (const [agent, state] of [...this.#agents].toReversed()) {
      if (state === 'running') this.#end(agent, 'end_turn')
      else if (state === 'failed') this.#end(agent, 'error')
    }
    return this.#give()
  }

  /** Readers of events other than segments. */
  readonly #besides: ReadonlyMap<string, (info: JsonObject) => void> = new Map([
    ['STREAM_STEP', (info: JsonObject) => this.#addEvent('meta_step', info)],
    [
      'STREAM_ROLLBACK',
      ({ segment_ids: _, ...info }: JsonObject) => this.#addEvent('rollback', info),
    ],
    [
      'STREAM_ERROR',
      ({ agent, ...info }: JsonObject) => {
        const owner = typeof agent === 'string' ? agent : this.#root
        this.#begin(owner)
        this.#fail(owner, info)
      },
    ],
    [
      'STREAM_END',
      (info: JsonObject) => {
        const agent = this.#addEvent('meta_end', info)
        const isPaused = isPauseReason(info['stop_reason'])
        this.#agents.set(agent, isPaused ? 'paused' : 'ended')
      },
    ],
  ])

  #give(): readonly Envelope[] {
    const given = this.#envelopes
    this.#envelopes = []
    return given
  }

  #add(type: string, agent: string, delta: string, more: Partial<Envelope> = {}): void {
    this.#envelopes.push({ type, agent, final: true, delta, ...more })
  }

  /** Adds a frame about an agent's run, after closing its blocks. [LIFE-2] */
  #addEvent(type: string, { agent = this.#root, ...info }: JsonObject): string {
    const owner = String(agent)
    this.#begin(owner)
    // After its error an agent can only end. [LIFE-6]
    if (this.#agents.get(owner) === 'failed' && type !== 'meta_end') return owner
    this.#closeAll(owner)
    this.#add(type, owner, JSON.stringify(info))
    return owner
  }

  #begin(agent: string): void {
    if (agent !== this.#root && !this.#agents.has(this.#root)) this.#begin(this.#root)
    const state = this.#agents.get(agent) ?? 'ended'
    if (state !== 'failed') this.#agents.set(agent, 'running')
    if (state !== 'ended') return
    const parent = agent === this.#root ? null : this.#root
    const init = { format: 'json', user_query: '', agent_uuid: agent, parent_agent_uuid: parent }
    this.#add('meta_init', agent, JSON.stringify({ ...init, model: '' }))
  }

  #fail(agent: string, info: JsonObject): void {
    if (this.#agents.get(agent) === 'failed') return
    this.#closeAll(agent)
    this.#add('error', agent, JSON.stringify(info))
    this.#agents.set(agent, 'failed')
  }

  #end(agent: string, reason: string): void {
    this.#addEvent('meta_end', { agent, stop_reason: reason })
    this.#agents.set(agent, 'ended')
  }

  #take(event: SegmentEvent | undefined): void {
    if (event?.type === 'SEGMENT_START') this.#start(event)
    else if (event?.type === 'SEGMENT_CONTENT') this.#grow(event)
    else if (event !== undefined) this.#close(event)
  }

  #start(start: SegmentStart): void {
    const { agent = this.#root, ...metadata } = start.payload.metadata
    const owner = String(agent)
    // A second start of an open segment would merge two segments.
    if (this.#open.has(start.segment_id) || this.#agents.get(owner) === 'failed') return
    this.#begin(owner)
    this.#open.set(start.segment_id, { start, agent: owner, content: '' })
    // The agent is not an argument of the call.
    this.#invocations.feed({ ...start, payload: { metadata } })
  }

  #grow(event: SegmentContent): void {
    const open = this.#open.get(event.segment_id)
    if (open === undefined) return
    const { delta } = event.payload
    const type = proseTypes.get(open.start.segment_type)
    if (type !== undefined) {
      return this.#add(type, open.agent, delta, { final: false, id: event.segment_id })
    }
    this.#invocations.feed(event)
    open.content += delta
    this.#heldLength += delta.length
    if (this.#heldLength > this.#maxHeldLength) throw tooLong(this.#maxHeldLength)
  }

  #close(event: SegmentEnd): void {
    const open = this.#open.get(event.segment_id)
    if (open === undefined) return
    this.#open.delete(event.segment_id)
    this.#heldLength -= open.content.length
    const { start, agent, content } = open
    const type = proseTypes.get(start.segment_type)
    const cut = event.payload.complete === false ? { interrupted: true } : {}
    if (type !== undefined) return this.#add(type, agent, '', { id: event.segment_id, ...cut })
    const invocations = this.#invocations.feed(event)
    const call: CallToRead = { start, agent, content, end: event.payload, invocations }
    this.#envelopes.push(...toCallEnvelopes(call))
  }

  /** Ends the segments of an agent that the stream left open. */
  #closeAll(agent: string): void {
    for (const [id, open] of this.#open) {
      const end = { type: 'SEGMENT_END', segment_id: id, payload: { complete: false } } as const
      if (open.agent === agent) this.#close(end)
    }
  }
}

function tooLong(maxHeldLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `Incomplete calls have more than ${maxHeldLength} characters of arguments. Raise maxHeldLength to accept them.`,
  )
}

/** The segment of an ended call. */
interface CallToRead {
  readonly start: SegmentStart
  readonly content: string
  readonly end: SegmentEndPayload
  /** The calls that it invokes, if it is complete. */
  readonly invocations: readonly ToolInvocation[]
  readonly agent: string
}

/** Converts a call to frames: one, or one for each call in the segment. [SEG-35] */
function toCallEnvelopes(call: CallToRead): readonly Envelope[] {
  const { start, end, content, invocations } = call
  const metadata = { ...start.payload.metadata, ...end.metadata }
  const { tool_name: toolName } = metadata
  const name = typeof toolName === 'string' ? toolName : ''
  const isPlain = start.segment_type === 'tool_call'
  const isWhole = invocations.length > 0
  if (isPlain && name !== '' && (!isWhole || isInput(content))) {
    return [toCall(call, metadata, { name, input: content === '' ? '{}' : content })]
  }
  if (isWhole) {
    return invocations.map(({ id, name: called, arguments: values }, index) => {
      const own = index === 0 ? metadata : { ...metadata, call_id: id }
      return toCall(call, own, { name: called, input: JSON.stringify(values) })
    })
  }
  const input = isPlain ? content : toProjectedInput(call, metadata)
  return [toCall(call, metadata, { name: name === '' ? start.segment_type : name, input })]
}

/** Whether the content is the unchanged arguments. Text formats may write them in tags. */
function isInput(content: string): boolean {
  return content === '' || parseJsonOr(content, undefined) !== undefined
}

/** Returns the arguments of a call that is not invoked. Those of an interrupted call stay visibly incomplete. */
function toProjectedInput({ start, end, content }: CallToRead, metadata: JsonObject): string {
  const { path: pathName, content: field = 'content' } =
    defaultProjections[start.segment_type] ?? {}
  const { path } = metadata
  const known: JsonObject = path === undefined || pathName === undefined ? {} : { [pathName]: path }
  const hasContent = content !== '' || end.empty === true
  const json = JSON.stringify(hasContent ? { ...known, [field]: content } : known)
  if (end.complete !== false) return json
  return json.slice(0, hasContent ? -'"}'.length : -'}'.length)
}

function toCall(
  { start, agent, end }: CallToRead,
  metadata: JsonObject,
  { name, input }: { readonly name: string; readonly input: string },
): Envelope {
  const { call_id: callId, provider_executed: isServer, server_name: server } = metadata
  return {
    type: isServer === true ? 'server_tool_call' : 'tool_call',
    agent,
    final: true,
    delta: input,
    id: typeof callId === 'string' ? callId : start.segment_id,
    name,
    ...(isServer === true && typeof server === 'string' && { server_name: server }),
    ...(end.complete === false && { interrupted: true }),
  }
}

const knownTypes: ReadonlySet<unknown> = new Set(segmentTypes)

/** Parses the data of a frame, which must be an object in this format. */
function readData(data: string): JsonObject {
  const value = parseJsonObject(data)
  if (value !== undefined) return value
  throw new MillraceError(
    'protocol_violation',
    `A segment event must be a JSON object; this is ${JSON.stringify(data.slice(0, 80))}. Check the format of the stream.`,
  )
}

/** Converts an object to an event; undefined for an unknown type or missing fields. */
function toSegmentEvent(value: JsonObject): SegmentEvent | undefined {
  const { type, segment_id: id, payload: given } = value
  if (typeof id !== 'string') return undefined
  const payload = isJsonObject(given) ? given : {}
  if (type === 'SEGMENT_START') return toStart(id, value['segment_type'], payload)
  if (type === 'SEGMENT_END') return toEnd(id, payload)
  const { delta } = payload
  const isContent = type === 'SEGMENT_CONTENT' && typeof delta === 'string' && delta !== ''
  return isContent ? { type, segment_id: id, payload: { delta } } : undefined
}

function toStart(id: string, type: unknown, payload: JsonObject): SegmentEvent | undefined {
  if (!knownTypes.has(type)) return undefined
  const metadata = metadataOf(payload) ?? {}
  // The type was checked above.
  const segment_type = type as SegmentType
  return { type: 'SEGMENT_START', segment_id: id, segment_type, payload: { metadata } }
}

function toEnd(id: string, payload: JsonObject): SegmentEvent {
  const metadata = metadataOf(payload)
  return {
    type: 'SEGMENT_END',
    segment_id: id,
    payload: {
      ...(payload['complete'] === false && { complete: false }),
      ...(payload['malformed'] === true && { malformed: true }),
      ...(payload['repaired'] === true && { repaired: true }),
      ...(payload['empty'] === true && { empty: true }),
      ...(metadata !== undefined && { metadata }),
    },
  }
}

function metadataOf({ metadata }: JsonObject): JsonObject | undefined {
  return isJsonObject(metadata) ? metadata : undefined
}
