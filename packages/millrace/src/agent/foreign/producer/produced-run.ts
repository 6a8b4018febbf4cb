import type { AgentEvent } from '../../../events/index.ts'
import { onAbort } from '../../../streams/index.ts'
import { createCallIds } from '../../calls/call-ids.ts'
import type { AgentCheckpoint, AgentStream, RunStart, AgentRunOptions } from '../../port/index.ts'
import { type AgentState, readState, StateWriter, StoredCheckpoint } from '../../state/index.ts'
import { abandonRun, endRun, endStopped } from '../end-foreign-run.ts'
import type { LoopOptions } from '../from-events.ts'
import { continueRun, emptyState, toRunStart, withPrompt } from '../open-foreign-run.ts'
import { announcePause, pauseRun } from '../pause-foreign-run.ts'
import { RunWriter } from '../run-writer.ts'
import { eventsIn, ledgerOf } from './call-ledger.ts'
import { EventTaker } from './event-taker.ts'
import { notProduced } from './judge-request.ts'
import { type FeedItem, ProducerFeed } from './producer-feed.ts'
import { toOpenReply } from './to-open-reply.ts'

/** A run to produce, as its agent passes it to the job that produces it. */
export interface RunToProduce {
  /** The id of the session. */
  readonly session: string
  readonly runId: string
  /** The context of the run; undefined without one. */
  readonly context: unknown
}

/** An agent whose runs are produced elsewhere. */
export interface ProducedAgent extends LoopOptions {
  /** Time without a request of a producer after which a run ends with an error. */
  readonly timeoutMs: number
  readonly start?: (run: RunToProduce) => unknown
}

type Items = AsyncGenerator<AgentEvent | AgentCheckpoint, void, undefined>

/** Opens a run whose events come as requests of a producer. */
export function openProducedRun(
  agent: ProducedAgent,
  start: RunStart,
  options: AgentRunOptions,
): AgentStream {
  const feed = new ProducerFeed()
  const stopping = new AbortController()
  let isBegun = (): void => {}
  const begun = new Promise<void>((resolve) => {
    isBegun = resolve
  })
  const following = { agent, start, options, feed, stopping, onBegun: () => isBegun() }
  let items: Items | undefined
  return {
    [Symbol.asyncIterator]: () => (items ??= followProducer(following)),
    begun,
    isEnding: () => feed.isClosed,
    offer: (command) => {
      if (command.type === 'produce') return feed.offer(command.request)
      const isForRoot = !('agent' in command) || command.agent === undefined
      if (!isForRoot || feed.isClosed) return { verdict: 'unknown' }
      if (command.type === 'steer')
        return { verdict: feed.steer(command.prompt) ? 'taken' : 'unknown' }
      if (command.type !== 'stop') return { verdict: 'unknown' }
      stopping.abort()
      feed.wake()
      return { verdict: 'taken' }
    },
  }
}

interface Following {
  readonly agent: ProducedAgent
  readonly start: RunStart
  readonly options: AgentRunOptions
  readonly feed: ProducerFeed
  readonly stopping: AbortController
  readonly onBegun: () => void
}

async function* followProducer(following: Following): Items {
  const { agent, start, options, feed, stopping, onBegun } = following
  const detach = onAbort(options.signal, () => {
    stopping.abort(options.signal?.reason)
    feed.wake()
  })
  try {
    const { taker, next } = await openRun(agent, start, options)
    const { writer } = taker
    feed.begin(taker.produced, ledgerOf(writer.state))
    if (next === 'loop') taker.repeat(eventsIn(writer.state.memory))
    yield* writer.drain()
    onBegun()
    const isOpen = !taker.isFinished && !writer.isWaiting
    if (next === 'loop' && isOpen) yield* takeAll(taker, following)
    if (writer.isWaiting) taker.keepWaits()
    feed.close()
    if (next === 'pause') announcePause(writer)
    else if (stopping.signal.aborted) endStopped(writer)
    else if (writer.isWaiting && writer.failure === undefined) pauseRun(writer, options)
    else endRun(writer)
    yield* writer.drain()
  } finally {
    onBegun()
    feed.close()
    detach()
  }
}

interface OpenRun {
  readonly taker: EventTaker
  readonly next: 'loop' | 'pause' | 'end'
}

async function openRun(
  agent: ProducedAgent,
  start: RunStart,
  { now }: AgentRunOptions,
): Promise<OpenRun> {
  const { stored, prompt, from, unsettled = [], stop } = start
  // The calls of the producer are open while it works, so a recovered run does not close them.
  const loop = { ...agent, recovery: 'rerun', run: noEvents } as const
  const read = from instanceof StoredCheckpoint ? from : await readState(stored)
  const {
    state: prior = emptyState(loop, start.agent),
    writer: stateWriter = new StateWriter(stored.blocks),
  } = read ?? {}
  const state = prompt === undefined ? withoutPaused(prior) : forNewRun(withPrompt(prior, prompt))
  const callIds = createCallIds(state)
  for (const one of unsettled) callIds.release(one.calls, one.agent)
  const writer = new RunWriter({ state, writer: stateWriter, callIds, isRepeated: false })
  if (prompt === undefined) {
    const continued = { ...start, ...(now && { now: now() }) }
    const next = continueRun(writer, loop, continued)
    return { taker: new EventTaker(writer), next }
  }
  writer.save()
  writer.emit(toRunStart(state, loop, prompt))
  writer.sendUnsent()
  if (stop !== undefined) writer.stopReason = 'aborted'
  return { taker: new EventTaker(writer), next: stop === undefined ? 'loop' : 'end' }
}

async function* noEvents(): AsyncGenerator<never> {}

/** A new run has no producer yet, and takes no events of the producer before it. */
function forNewRun(state: AgentState): AgentState {
  const { epoch } = state.produced ?? notProduced
  return { ...state, memory: [], produced: { ...notProduced, epoch } }
}

/** Drops the events with which the run paused. */
function withoutPaused(state: AgentState): AgentState {
  return state.pause === undefined ? state : { ...state, memory: [] }
}

/** Takes requests until the run ends, pauses, is stopped, or its producer is silent for too long. */
async function* takeAll(taker: EventTaker, following: Following): Items {
  const { agent, feed, stopping } = following
  const { writer } = taker
  const steers: (FeedItem & { readonly type: 'steer' })[] = []
  let heardAt = performance.now()
  startJob(following, writer.state.runId)
  try {
    while (!stopping.signal.aborted) {
      const left = heardAt + agent.timeoutMs - performance.now()
      const item = left > 0 ? await feed.next(left) : undefined
      if (stopping.signal.aborted) return
      if (item === undefined) {
        if (left > 0) continue
        writer.failure = producerLost(agent.timeoutMs)
        return
      }
      if (item.type === 'steer') steers.push(item)
      else {
        heardAt = performance.now()
        if (item.id !== undefined && item.id !== taker.produced.opening) taker.open(item.id)
        for (const event of item.events) {
          taker.take(event)
          yield* writer.drain()
        }
        if (taker.isFinished || (item.type === 'append' && writer.isWaiting)) return
      }
      if (taker.isBetweenSteps) for (const { prompt } of steers.splice(0)) taker.addSteer(prompt)
      feed.passedOn(taker.produced.steers)
      taker.save()
      yield* writer.drain()
      if (item.type !== 'steer')
        item.resolve(item.type === 'open' ? toOpenReply(writer.state) : toReply(taker))
    }
  } catch (error) {
    abandonRun(writer)
    yield* writer.drain()
    throw error
  }
}

function toReply({ produced: { epoch, next } }: EventTaker) {
  return { epoch, next }
}

/** Starts the job that produces the run. A failure ends the run. */
function startJob({ agent, start, options, feed }: Following, runId: string): void {
  const { session = start.agent } = start
  const run = { session, runId, context: options.context }
  Promise.resolve()
    .then(() => agent.start?.(run))
    .catch((error: unknown) => feed.fail(error))
}

function producerLost(timeoutMs: number) {
  const message = `The process that produces this run sent nothing for ${timeoutMs / 1000} seconds. Send the prompt again.`
  return { type: 'producer_lost', message, code: 'producer_lost', retriable: true }
}
