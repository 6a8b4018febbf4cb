import type { AgentCheckpoint } from '../../agent/port/index.ts'
import type { CommandChange, PartChange } from '../../stores/port/index.ts'
import {
  type AgentEvent,
  type BlockOpening,
  createStepTracker,
  isDecision,
  isPauseReason,
  type LoggedEvent,
  type RunEnd,
  type RunFailure,
} from '../../events/index.ts'
import { encodeCut } from '../sessions/cuts.ts'
import type { AppendExtras } from './log-writer.ts'
import { encodeTimes, RunTimes } from './run-times.ts'
import { RunInbox } from './run-inbox.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import type { StoredSession } from '../sessions/session-record.ts'
import { encodeRun, toGeneratedFiles, type WrittenEnd } from './stored-run.ts'
import type { RunOutbox } from '../webhooks/run-outbox.ts'

/** The place and time of a run's end. */
export interface EndPlace {
  /** The id of the root agent. */
  readonly root: string
  /** The id of the first frame of its end. */
  readonly firstId: number
  readonly lastId: number
  readonly at: number
  /** The final answer of the root agent. */
  readonly answer: string
  /** The error of a failed run. */
  readonly failure?: RunFailure
}

/** The commands and events of a run, and its interrupted steps. */
export interface RunBoxes {
  readonly inbox?: RunInbox
  readonly outbox?: RunOutbox
  /** The first frames of interrupted steps, by agent. */
  readonly unsettled?: ReadonlyMap<string, number>
}

/** The ids of a session and of its root agent. */
interface RunNames {
  readonly session: string
  readonly root: string
}

/** The data of a session to store during a run, and whether any of it is new. */
export class RunRecord {
  #stored: StoredSession
  readonly #writer: RecordWriter
  readonly #inbox: RunInbox
  readonly #outbox: RunOutbox | undefined
  /** The data that was stored last or is about to be. */
  #taken: StoredSession
  #isStopped: boolean
  /** The first frames of current steps: one agent may be in a step while the state of another is stored. */
  readonly #steps = createStepTracker<BlockOpening>()
  readonly #times = new RunTimes()
  #isChanged = false
  /** Whether the next data includes a new state of the agent. */
  #isCheckpoint = false
  /** Data stored with the end of the run besides its record. */
  #ending: Omit<WrittenEnd, 'frame'> | undefined
  /** Parts of states and cuts to store next: those of a cut must not be mixed with those of a later state. */
  #queued: PartChange[] = []

  constructor(
    stored: StoredSession,
    writer: RecordWriter,
    { inbox = new RunInbox('', 0), outbox, unsettled }: RunBoxes = {},
  ) {
    for (const [agent, firstId] of unsettled ?? []) this.#steps.take(toOpening(agent, firstId))
    this.#stored = this.#taken = stored
    this.#isStopped = stored.stop === true
    this.#writer = writer
    this.#inbox = inbox
    this.#outbox = outbox
  }

  get checkpoint(): AgentCheckpoint | undefined {
    return this.#stored.checkpoint
  }

  /** Records a state, which includes the prompt or stop that led to it. */
  keepState(checkpoint: AgentCheckpoint): void {
    const { question: _question, stop: _stop, ...rest } = this.#stored
    this.#stored = { ...rest, checkpoint }
    this.#isChanged = true
    this.#isCheckpoint = true
  }

  /**
   * Records that the run was stopped, and returns the extras to store it at once: with the last stored state, because a later one must
   * not be stored before its event.
   */
  keepStop(): () => AppendExtras {
    this.#isStopped = true
    this.#taken = { ...this.#taken, stop: true }
    return this.#toExtras(this.#taken, this.#taken.recordedAt)
  }

  /** Returns the extras of a frame outside of steps: the last stored state, for the same reason. */
  noteFrame(event: LoggedEvent, firstId: number): () => AppendExtras {
    this.#inbox.follow(event, firstId)
    return this.#toExtras(this.#taken, this.#taken.recordedAt)
  }

  /** Adds the keys of senders to prompts and messages, and the origin to a branch. [BRANCH-4] */
  name(event: AgentEvent, { session, root }: RunNames): AgentEvent {
    if (event.type === 'user_message') return this.#inbox.name(event)
    if (event.type !== 'run_start' || event.agent !== root) return event
    this.#stored = { ...this.#stored, run: { id: event.runId } }
    const { prompt, forkedFrom } = this.#stored
    return {
      ...event,
      ...(prompt?.messageId !== undefined && { messageId: prompt.messageId }),
      ...(forkedFrom !== undefined && { session, forkedFrom }),
    }
  }

  /** Adds to the bytes of the session, and returns the extras to store them at once, with their receipts. */
  count(bytes: number, receipts: readonly CommandChange[]): () => AppendExtras {
    this.#writer.count(bytes)
    this.#inbox.settle(receipts)
    return this.#toExtras(this.#taken, this.#taken.recordedAt)
  }

  /** Records a title that a user chose, and returns the extras to store it at once with its receipts, as {@link keepStop}. */
  rename(title: string, receipts: readonly CommandChange[]): () => AppendExtras {
    this.#inbox.settle(receipts)
    const renamed = { title, isRenamed: true } as const
    this.#stored = { ...this.#stored, ...renamed }
    this.#taken = { ...this.#taken, ...renamed }
    return this.#toExtras(this.#taken, this.#taken.recordedAt)
  }

  keepTitle(title: string): void {
    if (this.#stored.isRenamed === true) return
    this.#stored = { ...this.#stored, title }
    this.#isChanged = true
  }

  /** Records the end or pause of a run, with its place in the history. The run is not recovered from here. */
  keepEnd(event: RunEnd, place: EndPlace): void {
    const { firstId, lastId, at } = place
    const { answers: given } = this.#stored
    const answers = given.map((one) => (one.lastId === undefined ? { ...one, lastId } : one))
    const { stopReason } = event
    const status = isPauseReason(stopReason) ? 'paused' : 'ended'
    // A run that failed before its first state must not leave them to the next one.
    const { question, stop: _stop, ...rest } = this.#stored
    this.#isStopped = false
    this.noteTime(firstId, at)
    this.#stored = { ...rest, answers, status, stopReason, updatedAt: at }
    this.#isChanged = true
    this.#isCheckpoint = true
    this.#ending = { event, place, question }
    this.#outbox?.add({ stored: this.#stored, event, place })
  }

  /** Follows the events of agents, with the ids of their first and last frames. */
  follow(event: LoggedEvent, firstId: number, lastId: number): void {
    this.#steps.take(event.type === 'block_start' ? toOpening(event.agent, firstId) : event)
    if (this.#inbox.follow(event, firstId)) this.#isChanged = true
    if (isDecision(event)) {
      this.#stored = { ...this.#stored, lastDecision: lastId }
      this.#isChanged = true
    }
    if (event.type === 'files') {
      this.#queued.push(toGeneratedFiles(event.files, lastId))
      this.#isChanged = true
    }
    if (event.type !== 'rollback') return
    // The frames that close void blocks come first.
    this.#stored = { ...this.#stored, lastRollback: lastId }
    this.#isChanged = true
  }

  /** Records the time of a frame. */
  noteTime(id: number, at: number): void {
    this.#times.note(id, at)
  }

  /** Returns the extras of the frames up to an id, if there is new data; it is encoded on demand. */
  take(lastId: number): (() => AppendExtras) | undefined {
    if (this.#isCheckpoint) {
      const { unsettledFrom: _, ...rest } = this.#stored
      const unsettledFrom = this.#steps.firstUnsettledId()
      const unsettled = unsettledFrom === undefined ? {} : { unsettledFrom }
      this.#stored = { ...rest, ...unsettled, recordedAt: lastId }
    }
    if (!this.#isChanged) return undefined
    this.#taken = { ...this.#stored, ...(this.#isStopped && { stop: true }) }
    if (this.#isCheckpoint && this.#isAtCut()) this.#queueCut(this.#taken, lastId)
    this.#isChanged = false
    this.#isCheckpoint = false
    return this.#toExtras(this.#taken, lastId)
  }

  /** Checks whether a session can be forked here: at the end or pause of a run, and at the end of a step after its results. [BRANCH-2] */
  #isAtCut(): boolean {
    if (this.#ending !== undefined) return true
    const { checkpoint, unsettledFrom } = this.#stored
    return unsettledFrom === undefined && checkpoint?.isCut === true
  }

  /** Queues a state for forks, with the parts that belong to the frames up to it. */
  #queueCut(stored: StoredSession, frame: number): void {
    const ending = this.#ending
    const { parts } = this.#writer.encode(stored, frame)
    const times = encodeTimes(this.#times.take(), frame)
    const run = ending && encodeRun(stored, { ...ending, frame })
    const cut = encodeCut(stored, { frame, run, writer: this.#writer })
    this.#queued.push(...parts, ...times, ...(run === undefined ? [] : [run]), cut)
  }

  #toExtras(stored: StoredSession, frame: number): () => AppendExtras {
    const ending = this.#ending
    return () => {
      const { head, parts } = this.#writer.encode(stored, frame)
      const queued = this.#queued
      this.#queued = []
      const times = encodeTimes(this.#times.take(), frame)
      const changes = [...this.#inbox.takeDone(), ...(this.#outbox?.takeCommands() ?? [])]
      const commands = changes.length > 0 ? { commands: changes } : {}
      const extras = { head, parts: [...queued, ...parts, ...times], ...commands }
      return ending === undefined ? extras : { ...extras, lease: 'release' }
    }
  }
}

/** Returns the start of a block of any type, which a rollback can void. */
function toOpening(agent: string, firstId: number): BlockOpening {
  return { type: 'text', agent, block: `b${firstId}`, start: true, end: false }
}
