import { type Envelope, isPauseReason } from '../../envelope/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import {
  createInvocationReader,
  type SegmentContent,
  type SegmentEnd,
  type SegmentEvent,
  type SegmentStart,
} from '../../segments/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { DialectFrame, DialectReader } from '../port/index.ts'
import { type CallToRead, toCallEnvelopes } from './call-envelopes.ts'
import { readData, toSegmentEvent } from './segment-frame.ts'

/** How segments are read. */
export interface SegmentsReaderOptions {
  /** Whose segments they are that name no agent. */
  readonly agent: string
  /** How many UTF-16 units the calls that are open may hold. */
  readonly maxHeldLength?: number
}

/** Creates a reader of segment events, from a run or from a parser of text. */
export function segmentsReader(options: SegmentsReaderOptions): DialectReader {
  return new SegmentsReader(options)
}

interface OpenSegment {
  readonly start: SegmentStart
  readonly agent: string
  content: string
}

/** Where an agent stands; one that is paused goes on without another beginning. [LIFE-1] */
type AgentState = 'running' | 'paused' | 'failed' | 'ended'

const proseTypes: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['reasoning', 'thinking'],
])

const truncated: JsonObject = {
  type: 'stream_truncated',
  message: 'The stream of segments ended without its end.',
  code: 'stream_truncated',
  retriable: true,
}

class SegmentsReader implements DialectReader {
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

  read({ data = '' }: DialectFrame): readonly Envelope[] {
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
    // Those of sub-agents first: they began last.
    for (const [agent, state] of [...this.#agents].toReversed()) {
      if (state === 'running') this.#end(agent, 'end_turn')
      else if (state === 'failed') this.#end(agent, 'error')
    }
    return this.#give()
  }

  /** What is said beside segments. */
  readonly #besides: ReadonlyMap<string, (info: JsonObject) => void> = new Map([
    ['STREAM_STEP', (info: JsonObject) => this.#tell('meta_step', info)],
    ['STREAM_ROLLBACK', ({ segment_ids: _, ...info }: JsonObject) => this.#tell('rollback', info)],
    [
      'STREAM_ERROR',
      ({ agent, ...info }: JsonObject) => {
        const whose = typeof agent === 'string' ? agent : this.#root
        this.#begin(whose)
        this.#fail(whose, info)
      },
    ],
    [
      'STREAM_END',
      (info: JsonObject) => {
        const agent = this.#tell('meta_end', info)
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

  #say(type: string, agent: string, delta: string, more: Partial<Envelope> = {}): void {
    this.#envelopes.push({ type, agent, final: true, delta, ...more })
  }

  /** Says something about an agent's run, for which its blocks are closed. [LIFE-2] */
  #tell(type: string, { agent = this.#root, ...info }: JsonObject): string {
    const whose = String(agent)
    this.#begin(whose)
    // After its error an agent has nothing to tell but its end. [LIFE-6]
    if (this.#agents.get(whose) === 'failed' && type !== 'meta_end') return whose
    this.#closeAll(whose)
    this.#say(type, whose, JSON.stringify(info))
    return whose
  }

  #begin(agent: string): void {
    if (agent !== this.#root && !this.#agents.has(this.#root)) this.#begin(this.#root)
    const state = this.#agents.get(agent) ?? 'ended'
    if (state !== 'failed') this.#agents.set(agent, 'running')
    if (state !== 'ended') return
    const parent = agent === this.#root ? null : this.#root
    const init = { format: 'json', user_query: '', agent_uuid: agent, parent_agent_uuid: parent }
    this.#say('meta_init', agent, JSON.stringify({ ...init, model: '' }))
  }

  #fail(agent: string, info: JsonObject): void {
    if (this.#agents.get(agent) === 'failed') return
    this.#closeAll(agent)
    this.#say('error', agent, JSON.stringify(info))
    this.#agents.set(agent, 'failed')
  }

  #end(agent: string, reason: string): void {
    this.#tell('meta_end', { agent, stop_reason: reason })
    this.#agents.set(agent, 'ended')
  }

  #take(event: SegmentEvent | undefined): void {
    if (event?.type === 'SEGMENT_START') this.#start(event)
    else if (event?.type === 'SEGMENT_CONTENT') this.#grow(event)
    else if (event !== undefined) this.#close(event)
  }

  #start(start: SegmentStart): void {
    const { agent = this.#root, ...metadata } = start.payload.metadata
    const whose = String(agent)
    // A second start of a segment that is open would be two in one.
    if (this.#open.has(start.segment_id) || this.#agents.get(whose) === 'failed') return
    this.#begin(whose)
    this.#open.set(start.segment_id, { start, agent: whose, content: '' })
    // The agent that calls is no argument of the call.
    this.#invocations.feed({ ...start, payload: { metadata } })
  }

  #grow(event: SegmentContent): void {
    const open = this.#open.get(event.segment_id)
    if (open === undefined) return
    const { delta } = event.payload
    const type = proseTypes.get(open.start.segment_type)
    if (type !== undefined) {
      return this.#say(type, open.agent, delta, { final: false, id: event.segment_id })
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
    if (type !== undefined) return this.#say(type, agent, '', { id: event.segment_id, ...cut })
    const invocations = this.#invocations.feed(event)
    const call: CallToRead = { start, agent, content, end: event.payload, invocations }
    this.#envelopes.push(...toCallEnvelopes(call))
  }

  /** Ends the segments of an agent that the stream has left open. */
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
    `Calls that are not whole hold more than ${maxHeldLength} characters of arguments.`,
  )
}
