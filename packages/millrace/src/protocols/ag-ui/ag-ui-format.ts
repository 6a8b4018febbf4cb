import {
  type CollectedEvent,
  createCollector,
  type PausedCall,
  type StreamEvent,
} from '../../events/index.ts'
import {
  type EventFormat,
  type EventWriter,
  type FormatFrame,
  isAnswer,
  readChoice,
  type StreamEnd,
} from '../port/index.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { AgUiRun } from './ag-ui-run.ts'
import { writeEvent } from './event-handlers.ts'

/** Pending calls of a thread. */
export interface AgUiWaiting {
  /** Calls that the client answers. */
  readonly results: readonly PausedCall[]
  /** Calls that need approval. */
  readonly approvals: readonly PausedCall[]
  /** Whether the client already received them; then it is not asked to run them again. */
  readonly isReceived?: boolean
}

/** Options of the AG-UI format. */
export interface AgUiFormatOptions {
  /** Id of the thread; by default, the id of the session. */
  readonly threadId?: string
  /** Id of the AG-UI run; by default, each part of a run has its own. */
  readonly runId?: string
  /** The run that the client names as its parent. */
  readonly parentRunId?: string
  /** Output of sub-agents: their own events, or only the calls that the client must answer. */
  readonly subagents?: 'native' | 'drop'
  /** Whether the prompt is written as a user message. Clients that sent it already have it. */
  readonly prompts?: 'tell' | 'leave_out'
  /** Calls whose results the client has sent itself and holds as messages. */
  readonly answered?: ReadonlySet<string>
  /** Events right after `RUN_STARTED`. */
  readonly opening?: readonly AgUiEvent[]
  /** Returns the pending calls of the thread, for a stream without other events. If it returns undefined, such a stream is empty. */
  readonly waiting?: () => AgUiWaiting | undefined
  /** Text that the client sent to the active run and holds as a message. */
  readonly steered?: string
  /** The client whose names are used where clients differ. TanStack AI has its own names for pending calls. */
  readonly client?: 'any' | 'tanstack'
  /** End of a stream that the server must cut: an error, or nothing for clients that reconnect by themselves. */
  readonly cuts?: 'error' | 'silent'
}

/**
 * Creates the AG-UI 1.0 format. Each part of a run, up to its end or a pause, is an AG-UI run of the session's thread. Data without an
 * event of its own is in `metadata`, or in a `CUSTOM` event named `millrace.…`.
 */
export function agUiFormat(options: AgUiFormatOptions = {}): EventFormat {
  return {
    name: 'ag-ui',
    reads: 'events',
    headers: {},
    done: undefined,
    hasLogInIds: true,
    open: (root, { session = root } = {}) => new AgUiWriter(root, session, options),
  }
}

/** AG-UI options of a request. */
type AgUiChoices = Pick<AgUiFormatOptions, 'subagents' | 'cuts' | 'client'>

/** TanStack AI mixes the text of sub-agents into the answer, and reconnects by itself after a cut. */
const TANSTACK: AgUiChoices = { client: 'tanstack', subagents: 'drop', cuts: 'silent' }

/** Reads the AG-UI options of a query. */
export function readAgUiOptions(query: URLSearchParams): AgUiChoices {
  const { client } = readChoice(query, 'client', ['any', 'tanstack'])
  return {
    ...(client === 'tanstack' && TANSTACK),
    ...readChoice(query, 'subagents', ['native', 'drop']),
    ...readChoice(query, 'cuts', ['error', 'silent']),
  }
}

/** Writes the log of a session as the AG-UI runs of a thread. */
class AgUiWriter implements EventWriter {
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
