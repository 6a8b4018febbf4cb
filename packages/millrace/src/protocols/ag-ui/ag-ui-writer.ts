import { type CollectedEvent, createCollector, type StreamEvent } from '../../events/index.ts'
import { type FormatFrame, type EventWriter, isAnswer, type StreamEnd } from '../port/index.ts'
import type { AgUiFormatOptions } from './ag-ui-format.ts'
import { AgUiRun } from './ag-ui-run.ts'
import { writeEvent } from './event-handlers.ts'

/** Writes the log of a session as the AG-UI runs of a thread. */
export class AgUiWriter implements EventWriter {
  readonly #options: AgUiFormatOptions
  readonly #collector = createCollector()
  readonly #run: AgUiRun
  /** Answers received during a pause. */
  readonly #held: CollectedEvent[] = []

  constructor(root: string, session: string, options: AgUiFormatOptions) {
    this.#options = options
    this.#run = new AgUiRun(root, session, options)
  }

  write(event: StreamEvent): readonly FormatFrame[] {
    this.#run.at = event.id - event.span + 1
    for (const collected of this.#collector.take(event)) this.#write(collected)
    return this.#take()
  }

  finish(end: StreamEnd): readonly FormatFrame[] {
    const { runId, cuts = 'error' } = this.#options
    if (end === 'cut' && cuts === 'silent') return []
    if (end === 'done' && this.#held.length > 0) return this.#emitAnswered()
    const isCut = this.#run.isOpen || (end === 'cut' && runId !== undefined)
    for (const event of this.#collector.finish()) this.#write(event)
    if (isCut) this.#run.fail(end === 'cut' ? CUT : TRUNCATED)
    else this.#emitPending()
    return this.#take()
  }

  /** Writes an event. Answers alone do not start the next part of a run, because further answers may be pending. */
  #write(event: CollectedEvent): void {
    if (this.#run.isPaused && isAnswer(event)) {
      this.#held.push(event)
      return
    }
    this.#writeHeld()
    this.#run.isPaused = false
    writeEvent(this.#run, event)
  }

  #writeHeld(): void {
    for (const event of this.#held.splice(0)) writeEvent(this.#run, event)
  }

  /** Writes a stream of answers only: a part of the run with the calls that are still pending. */
  #emitAnswered(): readonly FormatFrame[] {
    this.#writeHeld()
    const waiting = { ...this.#run.calls.waiting(), isReceived: true }
    this.#run.closeWaiting(this.#options.waiting?.() ?? waiting)
    return this.#take()
  }

  #emitPending(): void {
    const waiting = this.#options.waiting?.()
    if (waiting !== undefined) this.#run.closeWaiting(waiting)
  }

  #take(): readonly FormatFrame[] {
    return this.#run.take().map((event) => ({ data: JSON.stringify(event) }))
  }
}

const CUT = {
  message: 'The stream was cut; the run continues. Connect again to see the rest.',
  code: 'connection_lost',
  retriable: true,
}
const TRUNCATED = {
  message: 'The run ended without a reason. Send the prompt again.',
  code: 'stream_truncated',
  retriable: true,
}
