import type {
  Agent,
  AgentCheckpoint,
  AgentCommand,
  AgentStream,
  RunStart,
  AgentRunOptions,
  Verdict,
} from '../../agent/port/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { AgentEvent } from '../../events/index.ts'
import { onAbort } from '../../streams/index.ts'
import { type Completion, createCompletion } from '../reading/completion.ts'
import { yieldToEventLoop } from '../timing.ts'
import type { LogWriter } from './log-writer.ts'
import type { RunInbox } from './run-inbox.ts'
import type { RunRecorder } from './run-recorder.ts'

/** Number of lines after which a run yields to other work. */
const linesPerTurn = 512

/** Options of {@link startRun}. */
interface RunOptions {
  readonly agent: Agent
  readonly start: RunStart
  readonly session: string
  /** The id of its root agent. */
  readonly root: string
  readonly number: number
  readonly logId: string
  readonly log: LogWriter
  readonly recorder: RunRecorder
  readonly inbox: RunInbox
  /** Resolves when the start of the run is stored; if that fails there is no run. */
  readonly begun: Promise<unknown>
  /** Awaited after the start is stored, before the agent starts. */
  readonly ready: () => Promise<void>
  /** Time that the agent has to end after the run is aborted. */
  readonly abortGraceMs: number
  readonly agentOptions: Omit<AgentRunOptions, 'signal'>
  readonly onError: (error: unknown) => void
}

/** An active run: a task of the server, independent of requests. */
export interface Run
  extends Completion, Pick<RunRecorder, 'keepStop' | 'emit' | 'count' | 'rename' | 'retitle'> {
  readonly session: string
  /** The id of its root agent. */
  readonly root: string
  readonly log: string
  /** Counts the runs of its session from 1. */
  readonly number: number
  readonly firstId: number
  /** Whether it continues a run that started earlier in the log: one that paused, or whose server died. */
  readonly isContinued: boolean
  /** Resolves when the agent can judge answers. */
  readonly begun: Promise<void>
  readonly offer: (command: AgentCommand) => Verdict
  /** The commands that were passed to it. */
  readonly inbox: RunInbox
  /** Returns the id of its last frame so far. */
  lastWritten(): number
  /** Checks whether it is pausing or ending, even if that is not stored yet. A run that continues only to be stopped is ending. */
  isEnding(): boolean
  /** Resolves when everything that was written so far is stored. */
  flush(): Promise<void>
  /** Resolves when its end is stored, or cannot be. */
  readonly over: Promise<void>
  abort(reason: MillraceError): void
  /** Stops it without an end, so that another server continues it. */
  handOff(): void
  isHandedOver(): boolean
}

/** Starts a run once its start is stored; it continues without readers. */
export function startRun(options: RunOptions): Run {
  const { log, recorder, begun, ready, onError } = options
  const completion = createCompletion()
  const controller = new AbortController()
  const { stream, offer, isStopped } = openStream(options, controller)
  const firstId = log.lastId() + 1
  let isLetGo = false

  const hasBegun = (): Promise<boolean> =>
    begun.then(
      () => true,
      () => false,
    )

  const finish = async (): Promise<void> => {
    // The caller of `launch` gets the error; readers are interrupted.
    if (!(await hasBegun())) return completion.interrupt()
    try {
      await ready()
      const { signal } = controller
      await drive(options, { stream, signal, isLetGo: () => isLetGo, isStopped })
      await log.flush()
      // Readers find the rest on the server that continues the run.
      if (isLetGo) return completion.interrupt()
      completion.complete(log.lastId())
    } catch (error) {
      onError(error)
      completion.interrupt()
    } finally {
      controller.abort()
    }
  }

  const over = finish()
  return {
    ...completion,
    session: options.session,
    root: options.root,
    log: options.logId,
    number: options.number,
    firstId,
    isContinued: options.start.prompt === undefined,
    begun: Promise.race([over, stream.begun ?? Promise.resolve()]),
    offer,
    inbox: options.inbox,
    lastWritten: log.lastId,
    flush: () => log.flush(),
    // A run that waits only for sub-agents has no event before its pause.
    isEnding: () =>
      options.start.stop === true || recorder.isEnding() || stream.isEnding?.() === true,
    over,
    abort: (reason) => controller.abort(reason),
    handOff: () => {
      if (recorder.isEnding()) return
      isLetGo = true
      controller.abort()
    },
    isHandedOver: () => isLetGo,
    keepStop: recorder.keepStop,
    emit: recorder.emit,
    count: recorder.count,
    rename: recorder.rename,
    retitle: recorder.retitle,
  }
}

/** The stream of an agent and its control. */
interface OpenStream {
  readonly stream: AgentStream
  readonly offer: Run['offer']
  /** Whether the server has stopped an agent that cannot stop itself. */
  readonly isStopped: () => boolean
}

/** Opens the stream of an agent. An error of the agent becomes the first result. */
function openStream(
  { agent, start, agentOptions }: RunOptions,
  controller: AbortController,
): OpenStream {
  const stream = runAgent(agent, start, { ...agentOptions, signal: controller.signal })
  let isStopped = false
  const stop = (): void => {
    isStopped = true
    controller.abort()
  }
  // It continues only to be stopped, which an agent without control cannot do by itself.
  if (start.stop === true && stream.offer === undefined) stop()
  return {
    stream,
    isStopped: () => isStopped,
    offer: (command) => {
      if (stream.offer !== undefined) return stream.offer(command)
      if (command.type !== 'stop' || command.agent !== undefined) return { verdict: 'unknown' }
      stop()
      return { verdict: 'taken' }
    },
  }
}

function runAgent(agent: Agent, start: RunStart, options: AgentRunOptions): AgentStream {
  try {
    return agent.run(start, options)
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
  }
}

/** The stream of a run and its control. */
interface Drive extends Omit<OpenStream, 'offer'> {
  readonly signal: AbortSignal
  /** Whether its later output is ignored. */
  readonly isLetGo: () => boolean
}

/** Records all events of the agent, and an end if the agent fails to emit one. */
async function drive(options: RunOptions, given: Drive): Promise<void> {
  const { log, recorder, abortGraceMs, onError } = options
  const start = log.lastId()
  const { stream, signal, isLetGo, isStopped } = given
  const isOver = (): boolean => isLetGo() || recorder.hasEnded()
  try {
    const take = createConsumer(options, isOver)
    await drainWithDeadline(stream, take, { signal, graceMs: abortGraceMs })
    if (isOver()) return
    throw new MillraceError(
      'internal',
      'The agent stopped without reporting an end. Send the prompt again.',
    )
  } catch (error) {
    if (recorder.hasEnded()) throw error
    if (isLetGo()) return
    if (isStopped()) return recorder.fail(undefined, 'aborted')
    // The state could not be read. The run is recovered once its lease has lapsed.
    const isUnread = isMillraceError(error) && error.code === 'store_unavailable'
    if (isUnread && log.lastId() === start) throw error
    onError(error)
    await recorder.fail(
      signal.aborted ? signal.reason : error,
      signal.aborted ? 'aborted' : 'error',
    )
  }
}

/** Creates the consumer that records events until the run is over; most are written synchronously. */
function createConsumer(
  { log, recorder }: RunOptions,
  isOver: () => boolean,
): Consumer<AgentEvent | AgentCheckpoint> {
  let turnStart = log.lastId()
  const isTurnLong = (): boolean => log.lastId() - turnStart >= linesPerTurn
  const pause = async (room: Promise<void> | undefined): Promise<boolean> => {
    await room
    if (isTurnLong()) {
      turnStart = log.lastId()
      await yieldToEventLoop()
    }
    return !isOver()
  }
  return (event) => {
    if (isOver()) return false
    const room = recorder.write(event)
    return room === undefined && !isTurnLong() ? !isOver() : pause(room)
  }
}

/** Takes a value of a source; returns whether to read on, as a promise if the source must wait. */
type Consumer<T> = (value: T) => boolean | Promise<boolean>

interface DrainOptions {
  readonly signal: AbortSignal
  /** Time that the source has to end after the signal has aborted. */
  readonly graceMs: number
}

/**
 * Passes all values of a source to a consumer until it stops reading; throws if the source does not end in time after the signal has
 * aborted. A source that hangs is abandoned, and its later values are ignored.
 */
export async function drainWithDeadline<T>(
  source: AsyncIterable<T>,
  take: Consumer<T>,
  { signal, graceMs }: DrainOptions,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]()
  let isTaking = false
  let isLate = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let detach = (): void => {}

  const takeAll = async (): Promise<void> => {
    while (!isLate) {
      const step = await iterator.next()
      if (step.done === true || isLate) return
      const isWanted = take(step.value)
      if (isWanted === true) continue
      isTaking = true
      if (!(await isWanted)) return
      isTaking = false
    }
    throw overdue(graceMs)
  }

  const late = new Promise<never>((_, reject) => {
    detach = onAbort(signal, () => {
      timer = setTimeout(() => {
        isLate = true
        // A value that is being taken is completed.
        if (!isTaking) reject(overdue(graceMs))
      }, graceMs)
    })
  })
  try {
    // One race for all values: one for each would cost more than all their other processing.
    await Promise.race([takeAll(), late])
  } finally {
    clearTimeout(timer)
    detach()
    iterator.return?.().catch(() => {})
  }
}

function overdue(graceMs: number): MillraceError {
  return new MillraceError(
    'internal',
    `The run did not stop within ${graceMs} ms after it was stopped.`,
  )
}
