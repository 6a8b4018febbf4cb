import type { Envelope } from '../../envelope/index.ts'
import {
  createTeller,
  type DialectFrame,
  type DialectWriter,
  isAnswer,
  type StreamEnd,
  type Telling,
} from '../../telling/index.ts'
import type { AgUiDialectOptions } from './ag-ui-dialect.ts'
import { AgUiRun } from './ag-ui-run.ts'
import { tellings } from './ag-ui-tellings.ts'

/** Says the log of a session as the AG-UI runs of a thread. */
export class AgUiWriter implements DialectWriter {
  readonly #options: AgUiDialectOptions
  readonly #teller
  readonly #run: AgUiRun
  /** Answers that came while the run waits. */
  readonly #held: Telling[] = []

  constructor(root: string, session: string, options: AgUiDialectOptions) {
    this.#options = options
    this.#teller = createTeller(root)
    this.#run = new AgUiRun(root, session, options)
  }

  write(envelope: Envelope, id: number): readonly DialectFrame[] {
    this.#run.at = id - (envelope.span ?? 1) + 1
    for (const telling of this.#teller.take(envelope, id)) this.#tell(telling)
    return this.#take()
  }

  finish(end: StreamEnd): readonly DialectFrame[] {
    const { runId, cuts = 'error' } = this.#options
    if (end === 'cut' && cuts === 'silent') return []
    if (end === 'done' && this.#held.length > 0) return this.#sayAnswered()
    const isCut = this.#run.isOpen || (end === 'cut' && runId !== undefined)
    for (const telling of this.#teller.finish()) this.#tell(telling)
    if (isCut) this.#run.fail(end === 'cut' ? CUT : TRUNCATED)
    else this.#sayWaiting()
    return this.#take()
  }

  /** Answers alone do not begin the next part of a run: more of them may be awaited. */
  #tell(telling: Telling): void {
    if (this.#run.isPaused && isAnswer(telling)) {
      this.#held.push(telling)
      return
    }
    this.#sayHeld()
    this.#run.isPaused = false
    tell(this.#run, telling)
  }

  #sayHeld(): void {
    for (const telling of this.#held.splice(0)) tell(this.#run, telling)
  }

  /** A stream that only tells of answers is a part of the run that names what is still awaited. */
  #sayAnswered(): readonly DialectFrame[] {
    this.#sayHeld()
    const told = { ...this.#run.calls.waiting(), isTold: true }
    this.#run.closeWaiting(this.#options.waiting?.() ?? told)
    return this.#take()
  }

  #sayWaiting(): void {
    const waiting = this.#options.waiting?.()
    if (waiting !== undefined) this.#run.closeWaiting(waiting)
  }

  #take(): readonly DialectFrame[] {
    return this.#run.take().map((event) => ({ data: JSON.stringify(event) }))
  }
}

const CUT = {
  message: 'The stream was cut; the run goes on. Connect again to see the rest.',
  code: 'connection_lost',
  retriable: true,
}
const TRUNCATED = {
  message: 'The run ended without telling how. Ask again.',
  code: 'stream_truncated',
  retriable: true,
}

function tell<Type extends Telling['type']>(
  run: AgUiRun,
  telling: Extract<Telling, { readonly type: Type }>,
): void {
  const say = tellings[telling.type]
  say(run, telling)
}
