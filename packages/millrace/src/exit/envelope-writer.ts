import { type Envelope, MAX_SSE_CHUNK_BYTES } from '../envelope/index.ts'
import { type AgentEvent, isPauseReason } from '../events/index.ts'
import { toAwaitedJson } from './awaited-json.ts'
import { type BlockWriter, createBlockWriter } from './block-writer.ts'
import { createEnvelopeSink, createLineSink, type MessageSink } from './message-sink.ts'
import {
  toCompactionJson,
  toEndJson,
  toErrorJson,
  toFilesJson,
  toFinalJson,
  toInitJson,
  toPromptText,
  toRollbackJson,
  toStepJson,
} from './meta-json.ts'
import { type ImageUrl, writeToolResult } from './result-writer.ts'

/** How events are written. */
export interface EnvelopeWriterOptions {
  /** No line is longer in UTF-8. */
  readonly maxBytes?: number
  /** Whether the conversation goes along: the client's `stream_meta_history_and_tool_results`. */
  readonly history?: boolean
  /** Whether tool input is sent whole, or while the model writes it. */
  readonly toolInput?: 'buffered' | 'live'
  /** What `meta_init` says of the format. */
  readonly format?: string
  /** Where image data goes that is too large for a message; without it the data is sent in pieces. */
  readonly imageUrl?: ImageUrl
}

/** Turns events into messages, whatever form these leave in. */
export interface EventWriter<Message> {
  /** The messages that an event becomes. */
  write(event: AgentEvent): Message[]
  /** Closes what is open, for a stream that breaks off without its end. */
  finish(): Message[]
}

/** The one exit from events to the wire: encoded lines, none of them longer than the limit. */
export type EnvelopeWriter = EventWriter<string>

type EventMap = { readonly [Event in AgentEvent as Event['type']]: Event }
type EventOf<Type extends keyof EventMap = keyof EventMap> = {
  [Key in Type]: EventMap[Key] & { readonly type: Key }
}[Type]
type Handlers = { readonly [Type in keyof EventMap]: (event: EventOf<Type>) => void }

/** Creates a writer for one run, or for the part of it between two pauses. */
export function createEnvelopeWriter(options: EnvelopeWriterOptions = {}): EnvelopeWriter {
  return createEventWriter(createLineSink(options.maxBytes ?? MAX_SSE_CHUNK_BYTES), options)
}

/** Creates a writer of messages as values, uncut, for formats that have their own way of saying them. */
export function createEnvelopeMapper(
  options: Omit<EnvelopeWriterOptions, 'maxBytes'> = {},
): EventWriter<Envelope> {
  return createEventWriter(createEnvelopeSink(), options)
}

function createEventWriter<Message>(
  sink: MessageSink<Message>,
  options: EnvelopeWriterOptions,
): EventWriter<Message> {
  const { toolInput = 'buffered' } = options
  const blocks = createBlockWriter(sink, toolInput === 'live')
  const handlers = createHandlers(sink, blocks, options)

  function handle<Type extends keyof EventMap>(event: EventOf<Type>): void {
    handlers[event.type](event)
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

function createHandlers(
  sink: MessageSink<unknown>,
  blocks: BlockWriter,
  { history = false, format = 'json', imageUrl }: EnvelopeWriterOptions,
): Handlers {
  /** Says something about the run itself, for which every block of the agent must be closed. [LIFE-2] */
  const say = (type: string, agent: string, payload: string): void => {
    blocks.close(agent)
    sink.put({ type, agent, payload })
  }
  return {
    run_start: (event) => say('meta_init', event.agent, toInitJson(event, format, history)),
    block_start: blocks.start,
    block_delta: blocks.delta,
    block_citation: blocks.citation,
    block_end: blocks.end,
    // A result has an id of its own and may come while the model speaks on.
    tool_result: (event) => writeToolResult(sink, event, imageUrl),
    tools_awaited: ({ agent, calls }) =>
      say('awaiting_frontend_tools', agent, toAwaitedJson(calls)),
    approvals_awaited: ({ agent, calls }) => say('awaiting_approval', agent, toAwaitedJson(calls)),
    // It has an id of its own and may come while the model or other tools go on.
    tool_status: ({ agent, id, name, stage, detail = '' }) =>
      sink.put({ type: 'tool_status', agent, payload: detail, extras: { id, name, stage } }),
    steered: ({ agent, prompt }) => say('user_message', agent, toPromptText(prompt)),
    compacted: (event) => say('meta_compaction', event.agent, toCompactionJson(event)),
    step_end: (event) => say('meta_step', event.agent, toStepJson(event)),
    step_rollback: (event) => say('rollback', event.agent, toRollbackJson(event)),
    files_ready: (event) => say('meta_files', event.agent, toFilesJson(event)),
    run_error: (event) => say('error', event.agent, toErrorJson(event)),
    run_end: (event) => {
      if (history && !isPauseReason(event.stopReason))
        say('meta_final', event.agent, toFinalJson(event))
      say('meta_end', event.agent, toEndJson(event))
    },
  }
}
