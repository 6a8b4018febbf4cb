import { isMillraceError, MillraceError } from '../../errors/index.ts'
import { type Cost, isPauseReason, type StreamEvent, traitsOfEvent } from '../../events/index.ts'
import {
  type JsonObject,
  type JsonValue,
  parseOutput,
  type StandardSchema,
} from '../../json/index.ts'
import { OutputReader } from './output-reader.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { SessionState, SessionCall } from './session-values.ts'

/** A run that a command has started or resumed. It continues without readers; the handle can be read any number of times. */
export interface RunHandle extends AsyncIterable<StreamEvent> {
  readonly session: string
  /** The key of its command, with which the same command finds the same run; of a queued prompt, also to withdraw it. */
  readonly key: string | undefined
  /** Whether its prompt is queued behind a run. */
  readonly isQueued: boolean
  /** The text of the root agent while it is written. A retried step repeats its text; the text of the result has it once. */
  readonly textStream: AsyncIterable<string>
  /** The end or the pause of the run. It never rejects. */
  readonly result: Promise<HandleResult>
  /**
   * Returns the final answer as a validated value of a schema. Rejects with `model_failed` if the answer is not valid, and with `conflict` if
   * the run has not ended with an answer.
   */
  readonly output: <Output>(schema: StandardSchema<Output>) => Promise<Output>
  /**
   * The JSON object of the answer while it is written, not validated. The same object grows in place; an answer that is given again begins
   * with a new one.
   */
  readonly outputStream: AsyncIterable<JsonValue>
  /** Stops the run, or withdraws its prompt if that is queued; false if the run was over. */
  stop(): Promise<boolean>
}

/** The end or the pause of a run. */
export interface HandleResult {
  /** `waiting`: its calls wait for answers or decisions. `stopped`: it was stopped, or its prompt was withdrawn. */
  readonly status: 'done' | 'waiting' | 'stopped' | 'failed'
  /** The stop reason of its end or pause; null if it has none. */
  readonly stopReason: string | null
  /** The final answer of the root agent so far. [LIFE-15] */
  readonly text: string
  readonly steps: number
  /** The tokens of the run and its sub-agents, as the provider counts them. */
  readonly usage: JsonObject | undefined
  /** The cost of the run and its sub-agents; null if a price is unknown. */
  readonly cost: Cost | null
  /** The calls that the session waits for. */
  readonly pending: readonly SessionCall[]
  /** The reason of a failure: of the run, or of reading it. */
  readonly error: HandleError | undefined
}

/** The reason of a failed result. */
export interface HandleError {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly retriable: boolean
}

/** The parts of a handle. */
interface HandleParts {
  readonly session: string
  readonly key: string | undefined
  readonly range: LogRange
  /** Reads the events of the run, from its first one. */
  readonly read: () => AsyncIterable<StreamEvent>
  readonly findRoot: () => Promise<string>
  readonly readState: () => Promise<SessionState>
  readonly stop: () => Promise<boolean>
}

/** Creates the handle of a run. Nothing is read before it is asked for. */
export function createRunHandle(parts: HandleParts): RunHandle {
  const { session, key, range, read, findRoot, stop } = parts
  let reading: Promise<HandleResult> | undefined
  const result = () => (reading ??= readResult(parts))
  return {
    session,
    key,
    isQueued: range.queued !== undefined,
    [Symbol.asyncIterator]: () => read()[Symbol.asyncIterator](),
    get textStream() {
      return readTexts(read(), findRoot)
    },
    get result() {
      return result()
    },
    output: async (schema) => parseOutput(schema, toAnswer(await result())),
    get outputStream() {
      return readOutputs(read(), findRoot)
    },
    stop,
  }
}

async function* readTexts(
  events: AsyncIterable<StreamEvent>,
  findRoot: () => Promise<string>,
): AsyncGenerator<string, void, undefined> {
  const root = await findRoot()
  for await (const event of events) {
    const isAnswer = event.type === 'text' && event.agent === root && !event.isSummary
    if (isAnswer && event.text !== '') yield event.text
  }
}

/** Returns the answer of a run that has ended with one. */
function toAnswer({ status, text, error }: HandleResult): string {
  if (status === 'done') return text
  const problem = error === undefined ? '' : `: ${error.message}`
  throw new MillraceError(
    'conflict',
    `The run has no output, because its status is "${status}"${problem}. Look at its \`result\` first.`,
  )
}

async function* readOutputs(
  events: AsyncIterable<StreamEvent>,
  findRoot: () => Promise<string>,
): AsyncGenerator<JsonValue, void, undefined> {
  const root = await findRoot()
  const reader = new ResultReader()
  let output = new OutputReader()
  for await (const event of events) {
    if (event.agent !== root) continue
    const before = reader.text
    reader.take(event)
    const isMore = event.type === 'text' && !event.isSummary
    if (!isMore && reader.text === before) continue
    // The answer begins again, or continues after a rollback.
    if (!isMore) output = new OutputReader()
    const value = output.feed(isMore ? event.text : reader.text)
    if (value !== undefined) yield value
  }
}

async function readResult(parts: HandleParts): Promise<HandleResult> {
  const reader = new ResultReader()
  try {
    const root = await parts.findRoot()
    for await (const event of parts.read()) if (event.agent === root) reader.take(event)
    return reader.toResult(await parts.readState())
  } catch (error) {
    return reader.toFailure(error)
  }
}

type RunEndEvent = Extract<StreamEvent, { readonly type: 'run_end' }>

/** Reads the result of a run from the events of its root agent. */
class ResultReader {
  #text = ''
  /** The answer before the current step, which may be rolled back. */
  #settled = ''
  #end: RunEndEvent | undefined
  #error: HandleError | undefined
  #hasEvents = false

  /** The answer so far. */
  get text(): string {
    return this.#text
  }

  take(event: StreamEvent): void {
    this.#hasEvents = true
    const row = event.type === 'unknown' ? undefined : traitsOfEvent(event.type)
    // The text before an interrupted call remains the answer. [LIFE-15]
    const isWhole = !('end' in event) || (event.end && !event.interrupted)
    if (row?.beforeAnswer === true && isWhole) this.#text = ''
    if (event.type === 'text' && !event.isSummary) this.#text += event.text
    else if (event.type === 'rollback') this.#text = this.#settled
    else if (event.type === 'error') this.#error = toError(event)
    else if (event.type === 'run_end') this.#end = event
    if (row?.step === 'boundary') this.#settled = this.#text
  }

  toResult({ status: now, pending }: SessionState): HandleResult {
    const stopReason = this.#end?.stopReason ?? null
    if (stopReason === null && now === 'interrupted') return this.toFailure(runLost())
    const status = stopReason === null ? this.#statusWithoutEnd(pending) : toStatus(stopReason)
    return { ...this.#base(), status, stopReason, pending: status === 'waiting' ? pending : [] }
  }

  toFailure(error: unknown): HandleResult {
    const [code, message] = isMillraceError(error)
      ? [error.code, error.message]
      : ['internal', error instanceof Error ? error.message : String(error)]
    const failure = { type: 'interrupted', code, message, retriable: true }
    const rest = { stopReason: null, pending: [], error: failure }
    return { ...this.#base(), status: 'failed', ...rest }
  }

  /** Without an end these are answers while other calls are pending, or a prompt that has left the queue. */
  #statusWithoutEnd({ length }: readonly SessionCall[]): HandleResult['status'] {
    return length > 0 || this.#hasEvents ? 'waiting' : 'stopped'
  }

  #base() {
    const { steps = 0, usage, cost } = this.#end ?? {}
    const totals = { steps, usage: usage ?? undefined, cost: (cost ?? null) as Cost | null }
    return { text: this.#text, ...totals, error: this.#error }
  }
}

function toStatus(stopReason: string): HandleResult['status'] {
  if (stopReason === 'error') return 'failed'
  if (stopReason === 'aborted') return 'stopped'
  return isPauseReason(stopReason) ? 'waiting' : 'done'
}

function runLost(): MillraceError {
  return new MillraceError(
    'lease_lost',
    'The server of this run was lost, and no server continues it. Call `recover()` on a server that offers its agent.',
  )
}

function toError({
  kind,
  message,
  code,
  retriable,
}: Extract<StreamEvent, { readonly type: 'error' }>): HandleError {
  return {
    type: kind ?? 'unknown_error',
    message: message ?? '',
    code: code ?? 'internal',
    retriable: retriable ?? false,
  }
}
