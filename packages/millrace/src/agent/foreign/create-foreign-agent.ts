import type { AgentEvent } from '../../events/index.ts'
import { onAbort } from '../../streams/index.ts'
import { createCallIds } from '../calls/call-ids.ts'
import { offerToStored } from '../calls/offer.ts'
import type {
  Agent,
  AgentCheckpoint,
  AgentStream,
  RunStart,
  AgentRunOptions,
} from '../port/index.ts'
import {
  type AgentState,
  readRun,
  readState,
  StateWriter,
  StoredCheckpoint,
} from '../state/index.ts'
import { untilAborted } from '../until-aborted.ts'
import { checkEvent, isMemory } from './check-event.ts'
import type { ForeignLoop, RememberingInput } from './foreign-loop.ts'
import { abandonRun, endRun, endStopped } from './end-foreign-run.ts'
import { answersIn, continueRun, emptyState, toRunStart, withPrompt } from './open-foreign-run.ts'
import { announcePause, pauseRun } from './pause-foreign-run.ts'
import { RunWriter } from './run-writer.ts'

/** Time that a stopped loop has to end. */
const ABORT_GRACE_MS = 1000

type Items = AsyncGenerator<AgentEvent | AgentCheckpoint, void, undefined>

/** Creates an agent whose work a loop of another library does. Its state is stored like that of `createAgent`. */
export function createForeignAgent(loop: ForeignLoop): Agent {
  const { name, description, model, recovery } = loop
  return {
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    // A run that is repeated gets its state as well, so that the ids of its calls stay unique.
    recovery: recovery === 'end' ? 'end' : 'continue',
    run: (start, options = {}) => openStream(loop, start, options),
    offer: offerToStored,
    conversation: readRun,
  }
}

function openStream(loop: ForeignLoop, start: RunStart, options: AgentRunOptions): AgentStream {
  const controller = new AbortController()
  let isEnding = false
  const onEnding = (): void => {
    isEnding = true
  }
  let items: Items | undefined
  return {
    [Symbol.asyncIterator]: () =>
      (items ??= followLoop(loop, start, { options, controller, onEnding })),
    offer: ({ type, ...command }) => {
      if (type !== 'stop' || isEnding || ('agent' in command && command.agent !== undefined))
        return { verdict: 'unknown' }
      controller.abort()
      return { verdict: 'taken' }
    },
    isEnding: () => isEnding,
  }
}

interface Following {
  readonly options: AgentRunOptions
  readonly controller: AbortController
  readonly onEnding: () => void
}

async function* followLoop(
  loop: ForeignLoop,
  start: RunStart,
  { options, controller, onEnding }: Following,
): Items {
  const { signal } = controller
  const detach = onAbort(options.signal, () => controller.abort(options.signal?.reason))
  try {
    const writer = await openWriter(loop, start)
    const next = openRun(writer, loop, start, options)
    writer.begin()
    yield* writer.drain()
    if (next === 'loop') {
      await options.permit?.()
      yield* runLoop(
        loop,
        writer,
        toInput(loop, writer, start, { signal, context: options.context }),
      )
    }
    onEnding()
    if (next === 'pause') announcePause(writer)
    else if (signal.aborted) endStopped(writer)
    else if (writer.isWaiting && writer.failure === undefined) pauseRun(writer, options)
    else endRun(writer)
    yield* writer.drain()
  } finally {
    detach()
    controller.abort()
  }
}

async function openWriter(loop: ForeignLoop, start: RunStart): Promise<RunWriter> {
  const { agent, stored, prompt, from, unsettled = [] } = start
  const read = from instanceof StoredCheckpoint ? from : await readState(stored)
  const { state: prior = emptyState(loop, agent), writer = new StateWriter(stored.blocks) } =
    read ?? {}
  const state = prompt === undefined ? prior : withPrompt(prior, prompt)
  const callIds = createCallIds(state)
  for (const one of unsettled) callIds.release(one.calls, one.agent)
  return new RunWriter({ state, writer, callIds, isRepeated: loop.recovery === 'rerun' })
}

function openRun(
  writer: RunWriter,
  loop: ForeignLoop,
  { prompt, ...start }: RunStart,
  { now }: AgentRunOptions,
): 'loop' | 'pause' | 'end' {
  if (prompt === undefined)
    return continueRun(writer, loop, { ...start, ...(now && { now: now() }) })
  writer.save()
  writer.emit(toRunStart(writer.state, loop, prompt))
  writer.sendUnsent()
  if (start.stop === undefined) return 'loop'
  writer.stopReason = 'aborted'
  return 'end'
}

/** Reads the events of the loop until its end, its error event, or a stop. */
async function* runLoop(loop: ForeignLoop, writer: RunWriter, input: RememberingInput): Items {
  const { signal } = input
  let number = 0
  try {
    if (signal.aborted) return
    for await (const value of untilAborted(loop.run(input), signal, ABORT_GRACE_MS)) {
      if (isMemory(value)) writer.remember(value)
      else {
        number += 1
        writer.take(checkEvent(value, number), number)
      }
      yield* writer.drain()
      if (writer.failure !== undefined) return
    }
    if (!signal.aborted) writer.finish()
  } catch (error) {
    // A stopped loop may throw anything.
    if (signal.aborted) return
    abandonRun(writer)
    yield* writer.drain()
    throw error
  }
}

function toInput(
  loop: ForeignLoop,
  { state }: RunWriter,
  { session = state.agent }: RunStart,
  { signal, context }: Pick<RememberingInput, 'signal' | 'context'>,
): RememberingInput {
  const { turn, runId, memory = [], remembered = 0 } = state
  const results = turn?.results ?? []
  const messages =
    results.length === 0
      ? state.messages
      : [...state.messages, { role: 'user' as const, content: results }]
  const answers = answersIn(turn, loop)
  return {
    messages,
    memory,
    remembered,
    prompt: promptOf(state),
    answers,
    session,
    runId,
    signal,
    context,
  }
}

function promptOf({ messages, runStart }: AgentState): string {
  const content = messages[runStart]?.content ?? []
  return content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n')
}
