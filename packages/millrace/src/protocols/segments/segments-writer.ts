import {
  type CallPiece,
  type CollectedCall,
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  type CollectedResult,
  createCollector,
  isOfProvider,
  type StreamEvent,
  wireTypeOf,
} from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import {
  createStreamingResponseHandler,
  type SegmentEvent,
  type SegmentType,
  type StreamingResponseHandler,
} from '../../segments/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { EventFormat, EventWriter, FormatFrame } from '../port/index.ts'

/** Options of a segments writer. */
interface SegmentsWriterOptions {
  /** Whether the segments of sub-agents are written, with `agent` in their metadata, or left out. */
  readonly agents: 'all' | 'root'
  /** Called for each frame that the format cannot express, with its type. */
  readonly onOmit: (name: string) => void
}

type Handlers = {
  readonly [Type in CollectedEvent['type']]?: (event: CollectedEventOf<Type>) => void
}

const proseTypes: Readonly<Record<string, SegmentType>> = { text: 'text', thinking: 'reasoning' }

/** Writes the blocks of agents as segments. They overlap like the blocks. */
class SegmentsWriter implements EventWriter {
  readonly #root: string
  readonly #options: SegmentsWriterOptions
  readonly #collector = createCollector()
  readonly #open = new Map<string, CallSegment | ProseSegment>()
  /** Call ids of this run that are segment ids. */
  readonly #callIds = new Set<string>()
  /** Segments of the blocks in each agent's step, by block key. */
  readonly #segments = new Map<string, string>()
  #frames: FormatFrame[] = []

  constructor(root: string, options: SegmentsWriterOptions) {
    this.#root = root
    this.#options = options
  }

  write(event: StreamEvent): readonly FormatFrame[] {
    if (!this.#shows(event)) this.#options.onOmit('messages of sub-agents')
    this.#writeAll(this.#collector.take(event))
    return this.#take()
  }

  finish(): readonly FormatFrame[] {
    this.#writeAll(this.#collector.finish())
    return this.#take()
  }

  #take(): readonly FormatFrame[] {
    const taken = this.#frames
    this.#frames = []
    return taken
  }

  #shows({ agent }: StreamEvent | CollectedEvent): boolean {
    return this.#options.agents === 'all' || agent === this.#root
  }

  #writeAll(events: readonly CollectedEvent[]): void {
    for (const event of events) {
      if (!this.#shows(event)) continue
      const handle = this.#handlers[event.type] as ((one: CollectedEvent) => void) | undefined
      if (handle === undefined) this.#options.onOmit(wireTypeOf(event))
      else handle(event)
    }
  }

  readonly #handlers: Handlers = {
    text: (piece) => this.#grow(piece),
    thinking: (piece) => this.#grow(piece),
    tool_call: (piece) => this.#grow(piece),
    server_tool_call: (piece) => this.#grow(piece),
    rollback: ({ voided, payload, agent }) => {
      const segment_ids = voided.flatMap(({ block }) => this.#segments.get(block) ?? [])
      if (segment_ids.length > 0)
        this.#writeBeside('STREAM_ROLLBACK', agent, { ...payload, segment_ids })
    },
    error: ({ payload, agent }) => this.#writeBeside('STREAM_ERROR', agent, payload),
    run_start: ({ agent }) => {
      if (agent !== this.#root) return
      this.#callIds.clear()
      this.#segments.clear()
    },
    run_end: ({ payload, agent }) => this.#writeBeside('STREAM_END', agent, payload),
    step_end: ({ payload, agent }) => this.#writeBeside('STREAM_STEP', agent, payload),
    tool_result: (result) => this.#omitResult(result),
    server_tool_result: (result) => this.#omitResult(result),
  }

  #grow(piece: CollectedProse | CollectedCall): void {
    const { block, text, start, end } = piece
    if (start) this.#open.set(block, this.#openSegment(piece))
    const segment = this.#open.get(block)
    if (text !== '') segment?.add(text)
    if (!end) return
    segment?.end(piece.interrupted)
    this.#open.delete(block)
    const { citations = [] } = piece as Partial<CollectedProse>
    citations.forEach(() => this.#options.onOmit('citation'))
  }

  #omitResult({ type, images }: CollectedResult): void {
    this.#options.onOmit(type)
    images.forEach(() => this.#options.onOmit('tool_result_image'))
  }

  #openSegment(piece: CollectedProse | CollectedCall): CallSegment | ProseSegment {
    const { type, block, agent } = piece
    const owner: JsonObject = agent === this.#root ? {} : { agent }
    const write = (event: SegmentEvent): void => this.#write(block, event)
    const segmentType = proseTypes[type]
    if (segmentType !== undefined) {
      return new ProseSegment({ id: block, type: segmentType, metadata: owner, write })
    }
    // All other types are calls.
    const call = piece as CollectedCall
    const id = this.#callIdOf(call)
    const { serverName } = call
    const metadata: JsonObject = {
      ...owner,
      ...(id !== call.callId && { call_id: call.callId }),
      ...(isOfProvider(type) && { provider_executed: true }),
      ...(serverName !== undefined && { server_name: serverName }),
    }
    return new CallSegment(call, { id, metadata, write })
  }

  #callIdOf({ callId, block }: CollectedCall): string {
    const isFree = callId !== '' && !this.#callIds.has(callId)
    if (isFree) this.#callIds.add(callId)
    return isFree ? callId : block
  }

  #write(block: string, event: SegmentEvent): void {
    if (event.type === 'SEGMENT_START') this.#segments.set(block, event.segment_id)
    this.#frames.push({ data: JSON.stringify(event) })
  }

  /** Writes an event that is not a segment under an event name, so that readers of segments ignore it. */
  #writeBeside(type: string, agent: string, info: JsonObject): void {
    const payload = agent === this.#root ? info : { ...info, agent }
    this.#frames.push({ event: 'stream', data: JSON.stringify({ type, payload }) })
  }
}

interface CallSegmentOptions {
  /** Id of the segment: that of the call, unless another call had it. */
  readonly id: string
  /** Additional metadata of its start. */
  readonly metadata: JsonObject
  readonly write: (event: SegmentEvent) => void
}

/** A call whose arguments are growing. For some tools they are shown as the content that they write. [SEG-33] */
class CallSegment {
  readonly #options: CallSegmentOptions
  readonly #handler: StreamingResponseHandler

  constructor({ name, type }: Pick<CallPiece, 'name' | 'type'>, options: CallSegmentOptions) {
    this.#options = options
    this.#handler = createStreamingResponseHandler({
      strategy: 'api_tool_call',
      // Tools of the provider do not write our files or run our commands.
      ...(isOfProvider(type) && { projections: {} }),
    })
    this.#pass(this.#handler.feed({ tool_calls: [{ call_id: options.id, name }] }), false)
  }

  add(delta: string): void {
    this.#pass(this.#handler.feed({ tool_calls: [{ arguments_delta: delta }] }), false)
  }

  end(isInterrupted: boolean): void {
    this.#pass(this.#handler.finalize(), isInterrupted)
  }

  #pass(events: readonly SegmentEvent[], isInterrupted: boolean): void {
    const { metadata, write } = this.#options
    for (const event of events) {
      if (event.type === 'SEGMENT_START') {
        write({ ...event, payload: { metadata: { ...event.payload.metadata, ...metadata } } })
      } else if (event.type === 'SEGMENT_END' && isInterrupted) {
        write({ ...event, payload: { ...event.payload, complete: false } })
      } else write(event)
    }
  }
}

interface ProseSegmentOptions {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: JsonObject
  readonly write: (event: SegmentEvent) => void
}

/** Growing text or reasoning. An empty one writes no segment. [SEG-4] */
class ProseSegment {
  readonly #options: ProseSegmentOptions
  #isStarted = false

  constructor(options: ProseSegmentOptions) {
    this.#options = options
  }

  add(delta: string): void {
    const { id, type, metadata, write } = this.#options
    if (!this.#isStarted) {
      write({ type: 'SEGMENT_START', segment_id: id, segment_type: type, payload: { metadata } })
      this.#isStarted = true
    }
    write({ type: 'SEGMENT_CONTENT', segment_id: id, payload: { delta } })
  }

  end(isInterrupted: boolean): void {
    const { id, write } = this.#options
    const payload = isInterrupted ? { complete: false as const } : {}
    if (this.#isStarted) write({ type: 'SEGMENT_END', segment_id: id, payload })
  }
}

/** Options of the segments format. */
export type SegmentsFormatOptions = Partial<SegmentsWriterOptions>

/**
 * Creates the segments format: `SEGMENT_START`, `SEGMENT_CONTENT` and `SEGMENT_END` for text, reasoning and calls. Calls that write files
 * or run commands stream the content that they write. [SEG-1]
 */
export function segmentsFormat({
  agents = 'root',
  onOmit = () => {},
}: SegmentsFormatOptions = {}): EventFormat {
  return {
    name: 'segments',
    reads: 'events',
    headers: {},
    done: DONE_DATA,
    open: (root) => new SegmentsWriter(root, { agents, onOmit }),
  }
}
