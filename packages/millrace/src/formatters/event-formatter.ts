import {
  type EventEncoder,
  type AgentEvent,
  type ModelEvent,
  type ModelNotice,
  toCitation,
} from '../events/index.ts'
import { createRunEvents, type FormattedRun } from './run-events.ts'

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
