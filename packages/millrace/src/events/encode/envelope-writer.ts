import { type Envelope, type Extras, encodeEnvelope } from '../envelope/envelope.ts'
import { MAX_SSE_CHUNK_BYTES, type Payload } from '../envelope/chunk.ts'
import { traitsOf, typeOfEvent } from '../catalog/find-traits.ts'
import { badRequest } from '../../errors/index.ts'
import {
  isCompletion,
  type LoggedEvent,
  type RunEnd,
  type StepEnd,
  type ResultImage,
  type ToolResult,
} from '../agent-event.ts'
import type { JsonValue } from '../../json/index.ts'
import { toWireCost } from '../cost.ts'
import {
  toApprovalsJson,
  toAwaitedJson,
  toFilesJson,
  toFinalJson,
  toInitJson,
  toPromptText,
} from './payloads.ts'
import { type BlockWriter, createBlockWriter } from './block-writer.ts'
import { createEnvelopeSink, createLineSink, type FrameSink } from './frame-sink.ts'

/** Options of {@link createEnvelopeWriter}. */
export interface EnvelopeWriterOptions {
  /** Maximum size of a line in UTF-8 bytes. */
  readonly maxBytes?: number
  /** The agents whose history is sent. */
  readonly history?: HistoryMode
  /** The root agent; if absent, every agent counts as one. */
  readonly root?: string
  /** Whether tool input is sent whole, or while the model writes it. */
  readonly toolInput?: 'buffered' | 'live'
  /** The format that `meta_init` names. */
  readonly format?: string
  /** Stores image data that is too large for a frame; if absent, the data is split. */
  readonly imageUrl?: ImageUrl
}

/**
 * The client's `stream_meta_history_and_tool_results`: whether `message_history` and `meta_final` are sent, for the
 * root agent (`true`) or for its sub-agents as well (`'all'`).
 */
export type HistoryMode = boolean | 'all'

/** Converts events to frames of any form. */
export interface EventEncoder<Frame> {
  write(event: LoggedEvent): Frame[]
  /** Closes the open blocks of an interrupted stream. */
  finish(): Frame[]
}

/** A writer of encoded lines, none longer than the limit. */
export type EnvelopeWriter = EventEncoder<string>

type EventMap = { readonly [Event in LoggedEvent as Event['type']]: Event }
type EventOf<Type extends keyof EventMap = keyof EventMap> = {
  [Key in Type]: EventMap[Key] & { readonly type: Key }
}[Type]
/** Encoders of single event types; the others are encoded by their rows. */
type Handlers = { readonly [Type in keyof EventMap]?: (event: EventOf<Type>) => void }

interface RowEvent {
  readonly type: string
  readonly agent: string
  readonly text?: string
  readonly cost?: unknown
  /** Further fields of the frame. */
  readonly fields?: Extras
}

/** Creates a writer for one run, or for its part between two pauses. */
export function createEnvelopeWriter(options: EnvelopeWriterOptions = {}): EnvelopeWriter {
  return createEventWriter(createLineSink(options.maxBytes ?? MAX_SSE_CHUNK_BYTES), options)
}

/** Creates a writer of frames as values, not split, for other formats. */
export function createEnvelopeMapper(
  options: Omit<EnvelopeWriterOptions, 'maxBytes'> = {},
): EventEncoder<Envelope> {
  return createEventWriter(createEnvelopeSink(), options)
}

function createEventWriter<Frame>(
  sink: FrameSink<Frame>,
  options: EnvelopeWriterOptions,
): EventEncoder<Frame> {
  const { toolInput = 'buffered' } = options
  const blocks = createBlockWriter(sink, toolInput === 'live')
  const handlers = createHandlers({ sink, blocks, putByRow }, options)

  function handle<Type extends keyof EventMap>(event: EventOf<Type>): void {
    const encode: ((event: EventOf<Type>) => void) | undefined = handlers[event.type]
    if (encode === undefined) putByRow(event)
    else encode(event)
  }

  function putByRow(event: RowEvent): void {
    const payload = toRowPayload(event)
    // An item has its own id, or is part of a block; everything else comes when no block is open. [LIFE-2]
    if (!traitsOf(payload.type)?.isItem) blocks.close(event.agent)
    sink.put(payload)
  }

  return {
    write(event) {
      handle(event)
      return sink.take()
    },
    finish() {
      blocks.closeAll()
      return sink.take()
    },
  }
}

interface Outputs {
  readonly sink: FrameSink<unknown>
  readonly blocks: BlockWriter
  readonly putByRow: (event: RowEvent) => void
}

function createHandlers(
  { sink, blocks, putByRow }: Outputs,
  { history = false, root, format = 'json', imageUrl }: EnvelopeWriterOptions,
): Handlers {
  const failed = new Set<string>()
  const asksHistoryOf = (agent: string): boolean =>
    history === 'all' || (history && (root === undefined || agent === root))
  /** Encodes JSON of the run, before which every block of the agent is closed. [LIFE-2] */
  const put = ({ type, agent }: RowEvent, payload: string): void => {
    blocks.close(agent)
    sink.put({ type: typeOfEvent(type), agent, payload })
  }
  return {
    run_start: (event) => {
      failed.delete(event.agent)
      put(event, toInitJson(event, format, asksHistoryOf(event.agent)))
    },
    block_start: blocks.start,
    block_delta: blocks.delta,
    citation: blocks.citation,
    block_end: blocks.end,
    // A result has its own id and may come while the model streams.
    tool_result: (event) => writeToolResult(sink, event, imageUrl),
    awaiting_frontend_tools: (event) => put(event, toAwaitedJson(event.calls)),
    awaiting_approval: (event) => put(event, toApprovalsJson(event.calls)),
    user_message: (event) => putByRow({ ...event, text: toPromptText(event.prompt) }),
    step_end: (event) => putByRow(withWireCost(event)),
    files: (event) => put(event, toFilesJson(event)),
    error: (event) => {
      failed.add(event.agent)
      putByRow(event)
    },
    run_end: (event) => {
      const { agent, stopReason } = event
      // Only a completed run has a summary. [LIFE-9]
      if (asksHistoryOf(agent) && !failed.has(agent) && isCompletion(stopReason))
        put({ type: 'run_summary', agent }, toFinalJson(event))
      putByRow(withWireCost(event))
    },
  }
}

function withWireCost(event: StepEnd | RunEnd): RowEvent {
  return { ...event, cost: toWireCost(event.cost ?? null) }
}

/** Encodes an event by its row: members are fields besides the text, or members of the JSON in `delta`. */
function toRowPayload(event: RowEvent): Payload {
  const type = typeOfEvent(event.type)
  const row = traitsOf(type)
  if (row === undefined) throw badRequest(`The catalogue has no row for the event ${event.type}.`)
  const values = event as unknown as Readonly<Record<string, JsonValue | undefined>>
  const fields: Record<string, JsonValue> = {}
  for (const [member, source] of Object.entries(row.members ?? {})) {
    const value = values[member]
    if (value !== undefined) fields[typeof source === 'string' ? source : source[0]] = value
  }
  const { agent } = event
  if (row.delta === 'json') return { type, agent, payload: JSON.stringify(fields) }
  const text = values[row.textMember ?? 'text']
  return {
    type,
    agent,
    payload: typeof text === 'string' ? text : '',
    extras: { ...fields, ...event.fields },
  }
}

/** Stores an image and returns its URL. */
export type ImageUrl = (image: ResultImage, result: ToolResult) => string

/** Writes the result of a tool; its images come between its text and its end. [LIFE-4] */
function writeToolResult(
  sink: FrameSink<unknown>,
  result: ToolResult,
  imageUrl: ImageUrl | undefined,
): void {
  const { agent, callId: id, name, text, images, isError } = result
  const extras = isError ? { id, name, is_error: true } : { id, name }
  sink.put({ type: 'tool_result', agent, payload: text, extras, final: images.length === 0 })
  if (images.length === 0) return
  for (const image of images) {
    const mustMove = imageUrl !== undefined && isTooLarge(image, result, sink.maxBytes)
    const src = mustMove ? imageUrl(image, result) : image.src
    const fields = { id, name, src, media_type: image.mediaType }
    sink.put({ type: 'tool_result_image', agent, payload: '', extras: fields, final: false })
  }
  sink.put({ type: 'tool_result', agent, payload: '', extras })
}

/** Checks for image data that does not fit into one frame and is stored elsewhere if possible. [CHUNK-7] */
function isTooLarge(
  { src, mediaType }: ResultImage,
  result: ToolResult,
  maxBytes: number,
): boolean {
  if (!src.startsWith('data:')) return false
  if (src.length > maxBytes) return true
  const { agent, callId: id, name } = result
  const frame = { type: 'tool_result_image', agent, final: false, delta: '' }
  return encodeEnvelope({ ...frame, id, name, src, media_type: mediaType }).length > maxBytes
}
