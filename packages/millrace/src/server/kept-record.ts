import type { AgentState } from '../agent/index.ts'
import { type AgentEvent, isPauseReason, type RunEnd } from '../events/index.ts'
import type { AppendExtras } from './log-writer.ts'
import { createLooseSteps } from './loose-steps.ts'
import { RunTimes } from './run-times.ts'
import { RunInbox } from './acts/run-inbox.ts'
import type { RecordWriter } from './record-writer.ts'
import type { StoredSession } from './session-record.ts'
import { encodeRun } from './stored-run.ts'
import { encodeTimes } from './stored-times.ts'

/** Where and when a run ended. */
export interface EndPlace {
  readonly session: string
  /** The id of the first message that tells its end. */
  readonly firstId: number
  /** The id of its last message. */
  readonly lastId: number
  readonly at: number
  /** The final answer of the root agent. */
  readonly answer: string
}

/** What is to be stored of a session while a run goes on, and whether any of it is new. */
export class KeptRecord {
  #stored: StoredSession
  readonly #writer: RecordWriter
  readonly #inbox: RunInbox
  /** What was stored last, or is about to be. */
  #taken: StoredSession
  #isStopped: boolean
  readonly #steps = createLooseSteps()
  readonly #times = new RunTimes()
  #isChanged = false
  /** Whether what is stored next goes with a state that the agent has just given. */
  #isCheckpoint = false
  /** What is stored with the end of the run besides its record. */
  #ending: { readonly event: RunEnd; readonly place: EndPlace } | undefined

  constructor(stored: StoredSession, writer: RecordWriter, inbox = new RunInbox('')) {
    this.#stored = this.#taken = stored
    this.#isStopped = stored.stop === true
    this.#writer = writer
    this.#inbox = inbox
  }

  get state(): AgentState | undefined {
    return this.#stored.state
  }

  /** Keeps a state; the question or stop that led to it is part of it from now on. */
  keepState(state: AgentState): void {
    const { question: _question, stop: _stop, ...rest } = this.#stored
    this.#stored = { ...rest, state }
    this.#isChanged = true
    this.#isCheckpoint = true
  }

  /**
   * Keeps that the run was stopped, until it ends, and gives what says so at once: the state that was stored last, since a
   * later one must not be stored before the event that it belongs to.
   */
  keepStop(): () => AppendExtras {
    this.#isStopped = true
    this.#taken = { ...this.#taken, stop: true }
    return this.#toExtras(this.#taken, this.#taken.recordedAt)
  }

  /** Adds to the bytes of the session, and gives what says so at once. */
  count(bytes: number): () => AppendExtras {
    this.#writer.count(bytes)
    return this.#toExtras(this.#taken, this.#taken.recordedAt)
  }

  /** Keeps a title that a person chose, and gives what says so at once, as {@link keepStop} does. */
  rename(title: string): () => AppendExtras {
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

  /** Keeps how the run ended or paused, with its place in the history; nobody carries it on from here. */
  keepEnd(event: RunEnd, place: EndPlace): void {
    const { firstId, lastId, at } = place
    const { answers: given, requests: asked = [] } = this.#stored
    const answers = given.map((one) => (one.lastId === undefined ? { ...one, lastId } : one))
    const requests = asked.map((one) => (one.lastId === undefined ? { ...one, lastId } : one))
    const { stopReason } = event
    const status = isPauseReason(stopReason) ? 'paused' : 'ended'
    // A run that failed before its first state must not leave them to the next one.
    const { question: _question, stop: _stop, ...rest } = this.#stored
    this.#isStopped = false
    this.noteTime(firstId, at)
    const known = { answers, ...(requests.length > 0 && { requests }) }
    this.#stored = { ...rest, ...known, status, stopReason, updatedAt: at }
    this.#isChanged = true
    this.#isCheckpoint = true
    this.#ending = { event, place }
  }

  /** Follows what agents do, by the ids of the first and the last message that tell it. */
  follow(event: AgentEvent, firstId: number, lastId: number): void {
    this.#steps.take(event, firstId)
    if (this.#inbox.follow(event)) this.#isChanged = true
    if (event.type === 'tool_status' && event.decision !== undefined) {
      this.#stored = { ...this.#stored, lastDecision: lastId }
      this.#isChanged = true
    }
    if (event.type !== 'step_rollback') return
    // The messages that close void blocks come first.
    this.#stored = { ...this.#stored, lastRollback: lastId }
    this.#isChanged = true
  }

  /** Notes when a message is told. */
  noteTime(id: number, at: number): void {
    this.#times.note(id, at)
  }

  /** What goes with the messages up to an id, if anything is new; it is encoded only when it is asked for. */
  take(lastId: number): (() => AppendExtras) | undefined {
    if (this.#isCheckpoint) {
      const { looseFrom: _, ...rest } = this.#stored
      const looseFrom = this.#steps.from()
      const loose = looseFrom === undefined ? {} : { looseFrom }
      this.#stored = { ...rest, ...loose, recordedAt: lastId }
    }
    const isChanged = this.#isChanged
    this.#isChanged = false
    this.#isCheckpoint = false
    if (!isChanged) return undefined
    this.#taken = { ...this.#stored, ...(this.#isStopped && { stop: true }) }
    return this.#toExtras(this.#taken, lastId)
  }

  #toExtras(stored: StoredSession, frame: number): () => AppendExtras {
    const ending = this.#ending
    return () => {
      const { head, parts } = this.#writer.encode(stored, frame)
      const times = encodeTimes(this.#times.take(), frame)
      const done = this.#inbox.takeDone()
      const commands = done.length > 0 ? { commands: done } : {}
      if (ending === undefined) return { head, parts: [...parts, ...times], ...commands }
      const run = encodeRun(stored, { ...ending, frame, writer: this.#writer })
      return { head, parts: [...parts, ...times, run], ...commands, lease: 'release' }
    }
  }
}
