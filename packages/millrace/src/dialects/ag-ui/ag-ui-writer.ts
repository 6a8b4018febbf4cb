import type { Envelope } from '../../envelope/index.ts'
import {
  createTeller,
  type DialectFrame,
  type DialectWriter,
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

  constructor(session: string, options: AgUiDialectOptions) {
    this.#options = options
    this.#teller = createTeller(session)
    this.#run = new AgUiRun(session, options)
  }

  write(envelope: Envelope, id: number): readonly DialectFrame[] {
    this.#run.at = id - (envelope.span ?? 1) + 1
    for (const telling of this.#teller.take(envelope, id)) tell(this.#run, telling)
    return this.#take()
  }

  finish(end: StreamEnd): readonly DialectFrame[] {
    const { runId, cuts = 'error' } = this.#options
    if (end === 'cut' && cuts === 'silent') return []
    const isCut = this.#run.isOpen || (end === 'cut' && runId !== undefined)
    for (const telling of this.#teller.finish()) tell(this.#run, telling)
    if (isCut) this.#run.fail(end === 'cut' ? CUT : TRUNCATED)
    else this.#sayWaiting()
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
