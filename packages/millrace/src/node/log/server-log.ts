import { loadPeer } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import { redactText } from '../../outbound/index.ts'
import type { EndedRun, ReportError, ServerObserver, StartedRun } from '../../server/index.ts'
import { toPlainLine } from '../../text/index.ts'
import type { ServedRequest } from '../served-request.ts'
import { describeError, describeFailure } from './describe-error.ts'

/** The parts of a line for people, in order; other fields appear only in the JSON. */
const facts: readonly ((fields: Fields) => string | undefined)[] = [
  ({ session }) => textOf(session),
  ({ agent_type: agent }) => textOf(agent),
  ({ stop_reason: reason }) => textOf(reason),
  ({ steps }) =>
    typeof steps === 'number' ? `${steps} ${steps === 1 ? 'step' : 'steps'}` : undefined,
  ({ input_tokens: input, output_tokens: output }) =>
    typeof input === 'number' && typeof output === 'number'
      ? `${input} → ${output} tokens`
      : undefined,
  ({ ms }) => (typeof ms === 'number' ? toDuration(ms) : undefined),
  ({ aborted }) => (aborted === true ? 'client disconnected' : undefined),
  ({ prompt }) => toQuote(prompt),
  ({ answer }) => toQuote(answer),
  ({ error }) => toErrorText(error),
]

/** Minimum severity of a log: `debug` adds health checks and modules of pages, `warn` leaves only problems. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Options of a server log. */
export interface ServerLogOptions {
  readonly level?: LogLevel
  /** Whether to write text of users, models and tools: prompts, answers and error messages. */
  readonly logContent?: boolean
  /** Whether to write lines for people instead of JSON. */
  readonly isPretty?: boolean
  /** The name of the server, on every line. */
  readonly node?: string
  /** Texts that are masked wherever they occur, such as the server's token. */
  readonly secrets?: readonly string[]
  /** Maximum length of a text field in UTF-16 units. */
  readonly maxTextChars?: number
  /** Writes a line; it has no line end. */
  readonly write?: (line: string) => void
}

/** The log of a server; its members are options of `createHandler` and `serve`. */
export interface ServerLog {
  readonly observer: ServerObserver
  readonly onError: ReportError
  readonly onRequest: (request: ServedRequest) => void
  /** Writes any other event. */
  readonly note: (message: string, fields?: Readonly<Record<string, number | string>>) => void
}

/** Fields that are masked if they are ever written. */
const secretFields = [
  'authorization',
  'cookie',
  'headers',
  'token',
  'apiKey',
  'api_key',
  'password',
]

/** Stop reasons that are logged as errors. */
const failedReasons: ReadonlySet<string> = new Set(['error', 'lost'])

/** Opens a log with one line for each event: requests, runs, recoveries and errors, with ids but without content. */
export async function openServerLog(options: ServerLogOptions = {}): Promise<ServerLog> {
  const { logContent = false, secrets = [], maxTextChars = 2_000 } = options
  const logger = await createLogger(options)
  const toText = (text: string): string => toLoggedText(text, maxTextChars, secrets)
  const describing = { hasContent: logContent, toText }
  const content = (name: string, said: Prompt | undefined): object =>
    logContent && said !== undefined ? { [name]: toText(toWords(said)) } : {}

  return {
    observer: {
      runStarted: (run) => {
        const name = run.isRecovered ? 'run_recovered' : 'run_started'
        const words = run.isRecovered ? 'run recovered from a server that is gone' : 'run started'
        logger.info({ event: name, ...toRunFields(run), ...content('prompt', run.prompt) }, words)
      },
      runEnded: (run) => {
        const fields = { event: 'run_ended', ...toRunFields(run), ...toEndFields(run) }
        const failure = run.error && { error: describeFailure(run.error, describing) }
        const level = failedReasons.has(run.stopReason) ? 'error' : 'info'
        logger[level]({ ...fields, ...content('answer', run.answer), ...failure }, 'run ended')
      },
      sessionsRemoved: ({ sessions, reason, durationMs }) => {
        const fields = { event: 'sessions_removed', sessions, reason, ms: Math.round(durationMs) }
        logger.info(fields, `removed ${sessions} sessions beyond keep.${reason}`)
      },
      logTrimmed: ({ session, earliest }) =>
        logger.info({ event: 'log_trimmed', session, earliest }, 'trimmed the log to keep.runs'),
    },
    onError: (error, { session } = {}) => {
      const about = session === undefined ? {} : { session }
      const described = describeError(error, describing)
      logger.error({ event: 'error', ...about, error: described }, 'error')
    },
    onRequest: (request) => {
      const path = toText(request.path)
      const level = levelOf(request)
      logger[level](toRequestFields(request, path), `${request.method} ${path} ${request.status}`)
    },
    note: (message, fields = {}) =>
      logger.info({ event: 'note', ...toSafeFields(fields, toText) }, toText(message)),
  }
}

async function createLogger({
  level = 'info',
  isPretty = false,
  node,
  write = (line) => void process.stdout.write(`${line}\n`),
}: ServerLogOptions) {
  const { pino } = await loadPeer('pino', 'The server log', () => import('pino'))
  const writeLine = (line: string): void => {
    const json = line.trimEnd()
    write(isPretty ? toPrettyLine(json) : json)
  }
  return pino(
    {
      level,
      base: node === undefined ? {} : { node },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: secretFields.flatMap((field) => [field, `*.${field}`]),
    },
    { write: writeLine },
  )
}

function toSafeFields(
  fields: Readonly<Record<string, number | string>>,
  toText: (text: string) => string,
): Readonly<Record<string, number | string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? toText(value) : value,
    ]),
  )
}

/** Returns the text of a prompt, with placeholders for images and files. */
function toWords(said: Prompt): string {
  if (typeof said === 'string') return said
  return said.map(({ type, text }) => (typeof text === 'string' ? text : `[${type}]`)).join(' ')
}

function toRunFields({ session, agentType, run, isRecovered }: Omit<StartedRun, 'prompt'>) {
  return { session, agent_type: agentType, run, ...(isRecovered && { recovered: true }) }
}

function toEndFields({ stopReason, durationMs, steps, usage }: EndedRun) {
  return {
    stop_reason: stopReason,
    ms: Math.round(durationMs),
    ...(steps !== undefined && { steps }),
    ...(usage !== undefined && {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
    }),
  }
}

/** Matches the session in the path of most routes. */
const sessionPath = /^\/agent\/([0-9a-f-]{36})(?:\/|$)/i

function toRequestFields(request: ServedRequest, path: string) {
  const { id, method, status, durationMs, isAborted } = request
  const session = sessionPath.exec(request.path)?.[1]
  return {
    event: 'request',
    request: id,
    method,
    path,
    status,
    ms: Math.round(durationMs),
    ...(session !== undefined && { session }),
    ...(isAborted && { aborted: true }),
  }
}

/** Paths of requests too frequent for the log: health checks, and the modules of pages. */
const frequentPath = /^\/(?:health$|millrace\/)/

function levelOf({ path, status }: ServedRequest): 'debug' | 'error' | 'info' {
  if (status === 200 && frequentPath.test(path)) return 'debug'
  return status >= 500 ? 'error' : 'info'
}

/** Masks keys and tokens in a text before it is truncated. */
function toLoggedText(text: string, maxChars: number, secrets: readonly string[]): string {
  // Masks twice the length, so that a key at the edge is still recognised.
  return toPlainLine(redactText(text.slice(0, maxChars * 2), secrets), maxChars)
}

type Fields = Readonly<Record<string, unknown>>

/** Converts a JSON line of the log to a line for people. */
function toPrettyLine(json: string): string {
  const fields = JSON.parse(json) as Fields
  const level = textOf(fields['level']) ?? 'info'
  const time = (textOf(fields['time']) ?? '').slice(11, 19)
  const mark = level === 'info' || level === 'debug' ? '' : ` ${level.toUpperCase()}`
  const parts = facts.map((fact) => fact(fields)).filter((fact) => fact !== undefined)
  return [`${time}${mark} ${textOf(fields['msg']) ?? ''}`, ...parts].join(' · ')
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? toPlainLine(value) : undefined
}

function toQuote(value: unknown): string | undefined {
  return typeof value === 'string' ? `“${toPlainLine(value, 80)}”` : undefined
}

function toErrorText(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { type, code, message, cause, frames } = error as Fields
  const head = [type, code].filter((one) => typeof one === 'string').join(' ')
  const detail = textOf(message)
  const [frame] = Array.isArray(frames) ? (frames as unknown[]) : []
  const where = textOf(frame)
  const because = toErrorText(cause)
  return [
    detail === undefined ? toPlainLine(head) : `${toPlainLine(head)}: ${detail}`,
    ...(because === undefined ? (where === undefined ? [] : [where]) : [`caused by ${because}`]),
  ].join(', ')
}

function toDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
