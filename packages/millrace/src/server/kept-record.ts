import type { AgentState } from '../agent/index.ts'
import { type AgentEvent, isPauseReason, type RunEnd } from '../events/index.ts'
import { toConversation } from './conversation.ts'
import type { AppendExtras } from './log-writer.ts'
import { createLooseSteps } from './loose-steps.ts'
import { RunTimes } from './run-times.ts'
import { encodeRecord, type StoredSession } from './session-record.ts'

/** Where and when a run ended. */
export interface EndPlace {
  readonly session: string
  /** The id of the first message that tells its end. */
  readonly firstId: number
  /** The id of its last message. */
  readonly lastId: number
  readonly at: number
}

/** What is to be stored of a session while a run goes on, and whether any of it is new. */
export class KeptRecord {
  #stored: StoredSession
  readonly #steps = createLooseSteps()
  readonly #times: RunTimes
  #isChanged = false
  /** Whether what is stored next goes with a state that the agent has just given. */
  #isCheckpoint = false
  /** What is stored with the end of the run besides its record. */
  #ending: AppendExtras = {}

  constructor(stored: StoredSession) {
    this.#stored = stored
    this.#times = new RunTimes(stored.times)
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

  keepTitle(title: string): void {
    this.#stored = { ...this.#stored, title }
    this.#isChanged = true
  }

  /** Keeps how the run ended or paused, with its place in the history; nobody carries it on from here. */
  keepEnd(event: RunEnd, { session, firstId, lastId, at }: EndPlace): void {
    const { answers: given, requests: asked = [] } = this.#stored
    const answers = given.map((one) => (one.lastId === undefined ? { ...one, lastId } : one))
    const requests = asked.map((one) => (one.lastId === undefined ? { ...one, lastId } : one))
    const { stopReason } = event
    const status = isPauseReason(stopReason) ? 'paused' : 'ended'
    // A run that failed before its first state must not leave them to the next one.
    const { question: _question, stop: _stop, ...rest } = this.#stored
    this.noteTime(firstId, at)
    const times = this.#times.encode()
    const known = { answers, ...(requests.length > 0 && { requests }) }
    this.#stored = { ...rest, ...known, status, stopReason, updatedAt: at, times }
    this.#isChanged = true
    this.#isCheckpoint = true
    this.#ending = {
      lease: 'release',
      conversation: toConversation(this.#stored, event, session),
    }
  }

  /** Follows what agents do, by the id of the first message that tells it. */
  follow(event: AgentEvent, firstId: number): void {
    this.#steps.take(event, firstId)
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
    const stored = this.#stored
    const ending = this.#ending
    const times = this.#times
    return () => ({ record: encodeRecord({ ...stored, times: times.encode() }), ...ending })
  }
}
