import { checkOptions } from '../../../errors/index.ts'
import { isJsonObject } from '../../../json/index.ts'
import type { Agent, RecoveryMode } from '../../port/index.ts'
import { createForeignAgent } from '../create-foreign-agent.ts'
import type { LoopInput, RememberingInput } from '../foreign-loop.ts'
import { checkLoop, type LoopOptions } from '../from-events.ts'
import type { LoopEvent, LoopMemory } from '../loop-event.ts'
import { readLoop } from '../loop-failure.ts'
import { pauseFor, readWaiting, storeWaiting } from './interrupts.ts'
import { GraphReader } from './read-graph.ts'
import { toGraphMessages } from './to-graph-messages.ts'

/** A compiled graph of LangGraph.js. */
export interface LangGraph {
  stream(input: object, config: object): PromiseLike<AsyncIterable<unknown>>
}

/** Options of {@link fromLangGraph}. */
export interface LangGraphAgentOptions extends LoopOptions {
  /** The compiled graph, with `messages` in its state, or a function that returns it for a run. */
  readonly graph: LangGraph | ((input: LoopInput) => LangGraph | PromiseLike<LangGraph>)
  /** Returns more configuration for a run: `recursionLimit`, `context`, members of `configurable`. */
  readonly config?: (input: LoopInput) => object
  /** The names of browser tools: the graph ends at their calls, or their functions interrupt it. */
  readonly frontendTools?: readonly string[]
  /** The recovery of a run whose server died: by default, the graph starts with the messages up to the last step or result; `end` ends it with an error. */
  readonly recovery?: Exclude<RecoveryMode, 'rerun'>
}

/** Creates an agent from a graph of LangGraph.js. */
export function fromLangGraph(options: LangGraphAgentOptions): Agent {
  checkOptions('fromLangGraph', options, {
    name: 'string',
    description: 'string',
    model: 'string',
    graph: 'any',
    config: 'function',
    frontendTools: 'list',
    recovery: 'string',
  })
  const { name, description, model, recovery = 'continue' } = options
  checkLoop('fromLangGraph', options, recovery, ['continue', 'end'])
  return createForeignAgent({
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    recovery,
    reportsRefusals: true,
    run: (input) => readRun(options, input),
  })
}

async function* readRun(
  { graph: given, config = () => ({}), frontendTools = [] }: LangGraphAgentOptions,
  input: RememberingInput,
): AsyncGenerator<LoopEvent | LoopMemory> {
  const { memory, remembered: _, ...rest } = input
  const { answers, session, signal } = input
  const messages = toGraphMessages(session, input.messages)
  const paused = readWaiting(memory, answers)
  // Each start has a thread of its own, because it brings the whole conversation.
  const thread = paused?.thread ?? crypto.randomUUID()
  const graph = typeof given === 'function' ? await given(rest) : given
  const reader = new GraphReader({
    known: messages.map(({ id }) => id),
    decided: paused === undefined ? [] : answers.filter(({ kind }) => kind !== 'result'),
    denied: answers.filter(({ kind }) => kind === 'refused').map(({ callId }) => callId),
  })
  const settings = toConfig(config(rest), { thread, signal })
  // A plain object in the form of a `Command`, so that LangGraph need not be imported.
  const command = paused && { lg_name: 'Command', resume: paused.resume }
  const events = readGraph(graph, command ?? { messages }, settings, reader)
  const failure = yield* readLoop(events, 'GraphRecursionError')
  if (failure === 'failed') return
  const { waiting, events: waits } = pauseFor(reader.interrupts, reader.open, frontendTools)
  yield* waits
  const asked = waiting.flatMap(({ calls }) => calls)
  const frontend = [...reader.open].flatMap(([id, { name }]) =>
    frontendTools.includes(name) && !asked.includes(id) ? [id] : [],
  )
  if (frontend.length > 0) yield { type: 'awaiting_frontend_tools', calls: frontend }
  yield { type: 'memory', items: waiting.length > 0 ? [storeWaiting(thread, waiting)] : [] }
}

/** Reads the events of a graph. */
async function* readGraph(
  graph: LangGraph,
  input: object,
  settings: object,
  reader: GraphReader,
): AsyncGenerator<LoopEvent> {
  for await (const chunk of await graph.stream(input, settings)) yield* reader.read(chunk)
}

function toConfig(
  own: object,
  { thread, signal }: { readonly thread: string; readonly signal: AbortSignal },
): object {
  const configurable =
    'configurable' in own && isJsonObject(own.configurable) ? own.configurable : {}
  return {
    ...own,
    streamMode: ['messages', 'updates'],
    subgraphs: true,
    signal,
    configurable: { ...configurable, thread_id: thread },
  }
}
