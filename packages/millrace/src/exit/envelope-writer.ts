import { type Envelope, MAX_SSE_CHUNK_BYTES, type Payload } from '../envelope/index.ts'
import { type AgentEvent, type DecisionRecord, isCompletion } from '../events/index.ts'
import { toApprovalsJson, toAwaitedJson } from './awaited-json.ts'
import { type BlockWriter, createBlockWriter } from './block-writer.ts'
import { createEnvelopeSink, createLineSink, type MessageSink } from './message-sink.ts'
import { messageTypes } from './message-types.ts'
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
  /** Who sends the conversation along. */
  readonly history?: HistoryMode
  /** The root agent; without it every agent counts as one. */
  readonly root?: string
  /** Whether tool input is sent whole, or while the model writes it. */
  readonly toolInput?: 'buffered' | 'live'
  /** What `meta_init` says of the format. */
  readonly format?: string
  /** Where image data goes that is too large for a message; without it the data is sent in pieces. */
  readonly imageUrl?: ImageUrl
}

/**
 * The client's `stream_meta_history_and_tool_results`: whether `message_history` and `meta_final` are sent, for the
 * root agent (`true`) or for its sub-agents as well (`'all'`).
 */
export type HistoryMode = boolean | 'all'

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
  { history = false, root, format = 'json', imageUrl }: EnvelopeWriterOptions,
): Handlers {
  const failed = new Set<string>()
  const asksHistoryOf = (agent: string): boolean =>
    history === 'all' || (history && (root === undefined || agent === root))
  /** Says something about the run itself, for which every block of the agent must be closed. [LIFE-2] */
  const say = (
    type: string,
    agent: string,
    payload: string,
    extras: Payload['extras'] = {},
  ): void => {
    blocks.close(agent)
    sink.put({ type, agent, payload, extras })
  }
  return {
    run_start: (event) => {
      const { agent } = event
      failed.delete(agent)
      say(messageTypes.run_start, agent, toInitJson(event, format, asksHistoryOf(agent)))
    },
    block_start: blocks.start,
    block_delta: blocks.delta,
    block_citation: blocks.citation,
    block_end: blocks.end,
    // A result has an id of its own and may come while the model speaks on.
    tool_result: (event) => writeToolResult(sink, event, imageUrl),
    tools_awaited: ({ agent, calls }) =>
      say(messageTypes.tools_awaited, agent, toAwaitedJson(calls)),
    approvals_awaited: ({ agent, calls }) =>
      say(messageTypes.approvals_awaited, agent, toApprovalsJson(calls)),
    // It has an id of its own and may come while the model or other tools go on.
    tool_status: ({ agent, id, name, stage, detail = '', decision }) =>
      sink.put({
        type: messageTypes.tool_status,
        agent,
        payload: detail,
        extras: { id, name, stage, ...toDecisionFields(decision) },
      }),
    ...createPromptHandlers(sink, say),
    compacted: (event) => say(messageTypes.compacted, event.agent, toCompactionJson(event)),
    step_end: (event) => say(messageTypes.step_end, event.agent, toStepJson(event)),
    step_rollback: (event) => say(messageTypes.step_rollback, event.agent, toRollbackJson(event)),
    files_ready: (event) => say(messageTypes.files_ready, event.agent, toFilesJson(event)),
    run_error: (event) => {
      failed.add(event.agent)
      say(messageTypes.run_error, event.agent, toErrorJson(event))
    },
    run_end: (event) => {
      const { agent, stopReason } = event
      // A summary is of a run that completed. [LIFE-9]
      if (asksHistoryOf(agent) && !failed.has(agent) && isCompletion(stopReason))
        say('meta_final', agent, toFinalJson(event))
      say(messageTypes.run_end, agent, toEndJson(event))
    },
  }
}

/** Says what people write while a run is under way. [CMD-3] [CMD-5] */
function createPromptHandlers(
  sink: MessageSink<unknown>,
  say: (type: string, agent: string, payload: string, extras?: Payload['extras']) => void,
): Pick<Handlers, 'steered' | 'prompt_queued'> {
  return {
    steered: ({ agent, prompt, messageId }) =>
      say(messageTypes.steered, agent, toPromptText(prompt), {
        ...(messageId !== undefined && { message_id: messageId }),
      }),
    // It belongs to no step and may come while the model speaks on.
    prompt_queued: ({ agent, messageId, state, text }) =>
      sink.put({
        type: messageTypes.prompt_queued,
        agent,
        payload: text,
        extras: { message_id: messageId, state },
      }),
  }
}

/** The fields of a `tool_status` that record a decision. [APR-3] */
function toDecisionFields(decision: DecisionRecord | undefined) {
  if (decision === undefined) return {}
  const { by, at, inputHash, isEdited } = decision
  return {
    ...(by !== null && { by }),
    at: new Date(at).toISOString(),
    ...(inputHash !== undefined && { input_hash: inputHash }),
    ...(isEdited && { edited: true }),
  }
}
