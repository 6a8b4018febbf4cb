import {
  abilitiesOf,
  type Agent,
  type AgentCheckpoint,
  type AgentStream,
  type Command,
  type RunStart,
  type RunTies,
  type Verdict,
} from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { AgentEvent, PromptQueued } from '../../events/index.ts'
import { type Consumer, drainWithDeadline } from './drain-with-deadline.ts'
import { type Completion, createCompletion } from '../reading/completion.ts'
import type { LogWriter } from './log-writer.ts'
import type { RunInbox } from './run-inbox.ts'
import type { RunRecorder } from './run-recorder.ts'
import { yieldToEventLoop } from '../timing.ts'

/** How many lines may be written before others have their turn. */
const linesPerTurn = 512

/** What a run needs. */
export interface RunOptions {
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
  /** Resolves when it is stored that the run begins; if that fails there is no run. */
  readonly begun: Promise<unknown>
  /** Awaited once the beginning is stored, before the agent begins. */
  readonly ready: () => Promise<void>
  /** How long the agent may take to end by itself when the run is aborted. */
  readonly abortGraceMs: number
  readonly ties: Omit<RunTies, 'signal'>
  readonly onError: (error: unknown) => void
}

/** A run under way: a task of the server, which no request owns. */
export interface Run extends Completion {
  readonly session: string
  /** The id of its root agent. */
  readonly root: string
  /** The id of the log that it writes. */
  readonly log: string
  /** Counts the runs of its session from 1. */
  readonly number: number
  /** The id of its first message. */
  readonly firstId: number
  /** Whether it carries on a run that began earlier in the log: one that paused, or whose server died. */
  readonly isContinued: boolean
  /** Resolves when the agent can judge answers. */
  readonly begun: Promise<void>
  /** Gives it a command. */
  readonly offer: (command: Command) => Verdict
  /** The commands that it has taken. */
  readonly inbox: RunInbox
  /** The id of its last message so far. */
  lastWritten(): number
  /** Tells that it pauses or ends, though that may not be stored yet. */
  isEnding(): boolean
  /** Resolves when its end is stored, or cannot be. */
  readonly over: Promise<void>
  abort(reason: MillraceError): void
  /** Lets go of it where it stands, for another server to carry on. */
  handOff(): void
  isHandedOver(): boolean
  /** Stores that it was stopped: whoever carries it on stops it. */
  readonly keepStop: () => Promise<void>
  /** Tells of a prompt that waits or has left the queue; false if the run is ending. */
  readonly tell: (event: PromptQueued) => boolean
  /** Adds to the bytes of the session and stores how many there are. */
  readonly count: (bytes: number) => Promise<void>
  /** Stores a title that a person chose. */
  readonly rename: (title: string) => Promise<void>
  /** Gives the session another title: with what the run stores next, or at once if it has ended. */
  readonly retitle: (title: string) => Promise<void>
}

/** Starts a run once its beginning is stored; it goes on whoever watches. */
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
    // Whoever launches the run is told why; those who watch already are only cut.
    if (!(await hasBegun())) return completion.interrupt()
    try {
      await ready()
      const { signal } = controller
      await drive(options, { stream, signal, isLetGo: () => isLetGo, isStopped })
      await log.flush()
      // Those who read it find the rest where it is carried on.
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
    // A run that waits for its sub-agents alone announces nothing itself before it pauses.
    isEnding: () => recorder.isEnding() || stream.isEnding?.() === true,
    over,
    abort: (reason) => controller.abort(reason),
    handOff: () => {
      if (recorder.isEnding()) return
      isLetGo = true
      controller.abort()
    },
    isHandedOver: () => isLetGo,
    keepStop: recorder.keepStop,
    tell: recorder.tell,
    count: recorder.count,
    rename: recorder.rename,
    retitle: recorder.retitle,
  }
}

/** The stream of an agent, and how it is commanded. */
interface OpenStream {
  readonly stream: AgentStream
  readonly offer: Run['offer']
  /** Whether the server has stopped an agent that cannot stop itself. */
  readonly isStopped: () => boolean
}

/** Opens the stream of an agent. An error in that is the first thing that is read. */
function openStream({ agent, start, ties }: RunOptions, controller: AbortController): OpenStream {
  const stream = runAgent(agent, start, { ...ties, signal: controller.signal })
  let isStopped = false
  return {
    stream,
    isStopped: () => isStopped,
    offer: (command) => {
      if (command.type !== 'stop' || abilitiesOf(agent).stop)
        return stream.offer?.(command) ?? { verdict: 'unknown' }
      if (command.agent !== undefined) return { verdict: 'unknown' }
      isStopped = true
      controller.abort()
      return { verdict: 'taken' }
    },
  }
}

function runAgent(agent: Agent, start: RunStart, ties: RunTies): AgentStream {
  try {
    return agent.run(start, ties)
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
  }
}

/** What a run is driven by. */
interface Drive extends Omit<OpenStream, 'offer'> {
  readonly signal: AbortSignal
  /** Whether nothing more of it is to be written. */
  readonly isLetGo: () => boolean
}

/** Writes all that the agent does, and an end in its place if it fails to. */
async function drive(options: RunOptions, given: Drive): Promise<void> {
  const { recorder, abortGraceMs, onError } = options
  const { stream, signal, isLetGo, isStopped } = given
  const isOver = (): boolean => isLetGo() || recorder.hasEnded()
  try {
    const take = createConsumer(options, isOver)
    await drainWithDeadline(stream, take, { signal, graceMs: abortGraceMs })
    if (isOver()) return
    throw new MillraceError(
      'internal',
      'The agent stopped without telling how it ended. Ask again.',
    )
  } catch (error) {
    if (recorder.hasEnded()) throw error
    if (isLetGo()) return
    if (isStopped()) return recorder.fail(undefined, 'aborted')
    onError(error)
    await recorder.fail(
      signal.aborted ? signal.reason : error,
      signal.aborted ? 'aborted' : 'error',
    )
  }
}

/** Builds what writes events until the run is over; most are written at once, with nothing to wait for. */
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
