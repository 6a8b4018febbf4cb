import {
  type EventEncoder,
  type AgentEvent,
  type ModelEvent,
  type ModelNotice,
  toCitation,
  addUsage,
  isProviderEnd,
  type MessageEnd,
  type MessageStart,
  noUsage,
  type Prompt,
  toRunError,
} from '../events/index.ts'

/** Options of every envelope formatter. */
export interface EventFormatterOptions {
  /** Name of the agent. */
  readonly agent: string
  /** Whether results of server tools are sent. */
  readonly toolResults?: boolean
  /** Adds the events of a run: `meta_init`, a `meta_step` after each message, `meta_end`. */
  readonly run?: FormattedRun
  /** Called for peculiarities of the stream that have no effect. */
  readonly onNotice?: (notice: ModelNotice) => void
}

/** Writes model events as events of one agent. */
interface EventFormatter<Message> {
  take(event: ModelEvent): Message[]
  finish(): Message[]
}

type Handlers<Message> = {
  readonly [Type in ModelEvent['type']]: (event: Extract<ModelEvent, { type: Type }>) => Message[]
}

/** Creates the formatter of one stream, which may hold several messages. */
export function createEventFormatter<Message>(
  writer: EventEncoder<Message>,
  { agent, toolResults = true, run, onNotice = () => {} }: EventFormatterOptions,
): EventFormatter<Message> {
  const runEvents = createRunEvents(agent, run)
  const hidden = new Set<number>()

  const write = (event: AgentEvent): Message[] => writer.write(event)

  const handlers: Handlers<Message> = {
    message_start: (event) => runEvents.startMessage(event).flatMap(write),
    block_start(event) {
      if (toolResults || event.kind !== 'server_tool_result') return write({ ...event, agent })
      hidden.add(event.block)
      return []
    },
    // Spelled out: deltas are frequent, and a spread costs more than all other work on a delta.
    block_delta: ({ block, text }) => write({ type: 'block_delta', agent, block, text }),
    block_citation: ({ block, citation }) =>
      write({ type: 'citation', agent, block, ...toCitation(citation) }),
    block_end: (event) => (hidden.has(event.block) ? [] : write({ ...event, agent })),
    message_end(event) {
      hidden.clear()
      return [...writer.finish(), ...runEvents.endMessage(event).flatMap(write)]
    },
    notice(event) {
      onNotice(event)
      return []
    },
  }

  return {
    take: (event) => (handlers[event.type] as (one: ModelEvent) => Message[])(event),
    finish: () => [...writer.finish(), ...runEvents.finish().flatMap(write)],
  }
}

/** Fields of `meta_init` besides the agent and the model. */
export interface FormattedRun {
  readonly runId: string
  readonly prompt: Prompt
  readonly name?: string
}

/** Creates the events around the blocks of a stream: its errors and, if there is a run, the events of the run. */
interface RunEvents {
  startMessage(event: MessageStart): AgentEvent[]
  endMessage(event: MessageEnd): AgentEvent[]
  finish(): AgentEvent[]
}

/** Creates the run events of one stream; without a run, only errors. */
function createRunEvents(agent: string, run: FormattedRun | undefined): RunEvents {
  let isBegun = false
  let isFragment = false
  let steps = 0
  let usage = noUsage
  let stopReason = 'unknown'

  function begin(model: string): AgentEvent[] {
    if (isBegun || run === undefined) return []
    isBegun = true
    return [{ type: 'run_start', agent, model, messages: [], ...run }]
  }

  function endStep(end: MessageEnd): AgentEvent[] {
    stopReason = end.stopReason ?? 'unknown'
    steps++
    if (run === undefined) return []
    return [{ type: 'step_end', agent, step: steps, stopReason, usage: end.usage }]
  }

  /** Blocks that end without a message around them are not an error. */
  function fail(end: MessageEnd): AgentEvent[] {
    const isAborted = end.outcome === 'aborted'
    stopReason = isAborted ? 'aborted' : 'error'
    const isPlainEnd = isFragment && end.failure?.type === 'stream_truncated'
    return isAborted || isPlainEnd ? [] : [toRunError(agent, end)]
  }

  return {
    startMessage({ messageId, model }) {
      isFragment = messageId === '' && model === ''
      return begin(model)
    },
    endMessage(end) {
      usage = addUsage(usage, end.usage)
      return [...begin(''), ...(isProviderEnd(end.outcome) ? endStep(end) : fail(end))]
    },
    finish() {
      if (!isBegun) return []
      return [{ type: 'run_end', agent, stopReason, steps, usage, messages: [], files: [] }]
    },
  }
}
