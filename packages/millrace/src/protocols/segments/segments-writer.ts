import type { Envelope } from '../../envelope/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { SegmentEvent, SegmentType } from '../../segments/index.ts'
import {
  createTeller,
  type DialectFrame,
  type DialectWriter,
  type Telling,
  type TellingOf,
  type ToldBlock,
} from '../../telling/index.ts'
import { CallSegment } from './call-segment.ts'
import { ProseSegment } from './prose-segment.ts'

/** What a writer of segments is told. */
export interface SegmentsWriterOptions {
  /** Whether the segments of sub-agents are written, with `agent` in their metadata, or left out. */
  readonly agents: 'all' | 'root'
  /** Told of each message that the format cannot say, by its type. */
  readonly onOmit: (name: string) => void
}

type Deeds = {
  readonly [Type in Telling['type']]: (telling: TellingOf<Type>) => void
}

const proseTypes: Readonly<Record<string, SegmentType>> = { text: 'text', thinking: 'reasoning' }

/** Writes the blocks of agents as segments, which overlap where blocks do. */
export class SegmentsWriter implements DialectWriter {
  readonly #root: string
  readonly #options: SegmentsWriterOptions
  readonly #teller
  readonly #open = new Map<string, CallSegment | ProseSegment>()
  /** The ids of this run's calls, each of which is that of one segment. */
  readonly #callIds = new Set<string>()
  /** The segments that blocks have become. */
  readonly #segments = new WeakMap<ToldBlock, string>()
  #frames: DialectFrame[] = []

  constructor(root: string, options: SegmentsWriterOptions) {
    this.#root = root
    this.#options = options
    this.#teller = createTeller(root)
  }

  write(envelope: Envelope, id: number): readonly DialectFrame[] {
    const isShown = this.#options.agents === 'all' || envelope.agent === this.#root
    if (!isShown) this.#options.onOmit('messages of sub-agents')
    this.#tellAll(this.#teller.take(envelope, id))
    return this.#take()
  }

  finish(): readonly DialectFrame[] {
    this.#tellAll(this.#teller.finish())
    return this.#take()
  }

  #take(): readonly DialectFrame[] {
    const taken = this.#frames
    this.#frames = []
    return taken
  }

  #tellAll(tellings: readonly Telling[]): void {
    for (const telling of tellings) {
      const isShown = this.#options.agents === 'all' || telling.agent === this.#root
      if (isShown) (this.#deeds[telling.type] as (one: Telling) => void)(telling)
    }
  }

  readonly #deeds: Deeds = {
    block_start: ({ block }) => void this.#open.set(block.key, this.#openSegment(block)),
    block_delta: ({ block, delta }) => this.#open.get(block.key)?.add(delta),
    block_end: ({ block, citations, isInterrupted }) => {
      this.#open.get(block.key)?.end(isInterrupted)
      this.#open.delete(block.key)
      citations.forEach(() => this.#options.onOmit('citation'))
    },
    rollback: ({ voided, info, agent }) => {
      const segment_ids = voided.flatMap((block) => this.#segments.get(block) ?? [])
      if (segment_ids.length > 0)
        this.#sayBeside('STREAM_ROLLBACK', agent, { ...info, segment_ids })
    },
    error: ({ info, agent }) => this.#sayBeside('STREAM_ERROR', agent, info),
    run_start: ({ isRoot }) => {
      if (isRoot) this.#callIds.clear()
    },
    run_end: ({ info, agent }) => this.#sayBeside('STREAM_END', agent, info),
    step_end: ({ info, agent }) => this.#sayBeside('STREAM_STEP', agent, info),
    result: ({ isServer, images }) => {
      this.#options.onOmit(isServer ? 'server_tool_result' : 'tool_result')
      images.forEach(() => this.#options.onOmit('tool_result_image'))
    },
    status: () => this.#options.onOmit('tool_status'),
    steered: () => this.#options.onOmit('user_message'),
    awaiting: ({ what }) =>
      this.#options.onOmit(what === 'results' ? 'awaiting_frontend_tools' : 'awaiting_approval'),
    files: () => this.#options.onOmit('meta_files'),
    compaction: () => this.#options.onOmit('meta_compaction'),
    summary: () => this.#options.onOmit('meta_final'),
    other: ({ envelope }) => this.#options.onOmit(envelope.type),
  }

  #openSegment(block: ToldBlock): CallSegment | ProseSegment {
    const { type, key, agent, fields } = block
    const whose: JsonObject = agent === this.#root ? {} : { agent }
    const say = (event: SegmentEvent): void => this.#say(block, event)
    const segmentType = proseTypes[type]
    if (segmentType !== undefined) {
      return new ProseSegment({ id: key, type: segmentType, metadata: whose, say })
    }
    const id = this.#callIdOf(block)
    const { server_name: server } = fields
    const metadata: JsonObject = {
      ...whose,
      ...(id !== block.toolUseId && { call_id: block.toolUseId }),
      ...(type === 'server_tool_call' && { provider_executed: true }),
      ...(typeof server === 'string' && { server_name: server }),
    }
    return new CallSegment(block, { id, metadata, say })
  }

  #callIdOf({ toolUseId, key }: ToldBlock): string {
    const isFree = toolUseId !== '' && !this.#callIds.has(toolUseId)
    if (isFree) this.#callIds.add(toolUseId)
    return isFree ? toolUseId : key
  }

  #say(block: ToldBlock, event: SegmentEvent): void {
    if (event.type === 'SEGMENT_START') this.#segments.set(block, event.segment_id)
    this.#frames.push({ data: JSON.stringify(event) })
  }

  /** Says what is no segment, in an event with a name: readers of segments alone do not see it. */
  #sayBeside(type: string, agent: string, info: JsonObject): void {
    const payload = agent === this.#root ? info : { ...info, agent }
    this.#frames.push({ event: 'stream', data: JSON.stringify({ type, payload }) })
  }
}
