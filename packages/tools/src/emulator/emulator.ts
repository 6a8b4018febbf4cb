import { isMillraceError, MillraceError } from 'millrace'
import { type ApiError, toErrorResponse, toApiHeaders } from './routes/api-error.ts'
import { createAttempts, createEndedAnswers } from './replies/ended-answers.ts'
import { demoScenarios } from './demos/demo-scenarios.ts'
import type { EmulatorContext, Exchange, RequestNotes } from './emulator-context.ts'
import type { Fault } from './faults/fault.ts'
import { findFile, readFile } from './routes/files-route.ts'
import { countMessage, createMessage } from './routes/messages-route.ts'
import { findModel, listModels } from './routes/models-route.ts'
import { answerChat } from './openai/openai-route.ts'
import { naturalPace, type Pace } from './pace.ts'
import { createId, createRandom } from './random.ts'
import { findHeaderProblem } from './request/request-rules.ts'
import type { Scenario } from './replies/scenario.ts'
import { createThreads } from './replies/threads.ts'

/** Options of an emulator. */
export interface EmulatorOptions {
  /** Tried in order; the first scenario that matches answers. */
  readonly scenarios?: readonly Scenario[]
  /** `instant` never waits; a reply with its own pace keeps it. */
  readonly pace?: Pace | 'instant'
  /** Factor on the speed of every reply, also of replies with their own pace. */
  readonly speed?: number
  /** The ids, chunks and faults depend only on the seed and the sequence of requests; default: random. */
  readonly seed?: string
  /** Faults of every answer; the header `x-millrace-fault` adds faults to one request. */
  readonly faults?: readonly Fault[]
  readonly maxBodyBytes?: number
  readonly now?: () => number
  /** Called for every request when its answer begins. */
  readonly onRequest?: (request: EmulatedRequest) => void
}

/** An answered request, for a log. */
export interface EmulatedRequest extends Required<Pick<RequestNotes, 'faults' | 'notices'>> {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly model?: string
  /** Name of the scenario that answers. */
  readonly scenario?: string
}

/** A scripted model behind the Anthropic Messages API and OpenAI's chat completions. */
export interface Emulator {
  /** Answers a request; has the signature of `fetch`, so that a client can use it without a socket. */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>
}

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly answer: (context: EmulatorContext, exchange: Exchange) => Promise<Response>
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/messages$/, answer: createMessage },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, answer: countMessage },
  { method: 'GET', path: /^\/v1\/models$/, answer: listModels },
  { method: 'GET', path: /^\/v1\/models\/[^/]+$/, answer: findModel },
  { method: 'GET', path: /^\/v1\/files\/[^/]+$/, answer: findFile },
  { method: 'GET', path: /^\/v1\/files\/[^/]+\/content$/, answer: readFile },
]

/** Creates an emulator of both APIs that needs no API key and no network. */
export function createEmulator({
  scenarios = demoScenarios,
  pace = naturalPace,
  speed = 1,
  seed = crypto.randomUUID(),
  faults = [],
  maxBodyBytes = 32 * 1024 * 1024,
  now = Date.now,
  onRequest = () => {},
}: EmulatorOptions = {}): Emulator {
  checkRate('speed', speed)
  if (pace !== 'instant') checkRate('pace.tokensPerSecond', pace.tokensPerSecond)
  const memory = {
    attempts: createAttempts(),
    threads: createThreads(),
    endedAnswers: createEndedAnswers(now),
  }
  const context = { scenarios, pace, speed, faults, maxBodyBytes, now, ...memory }
  let requests = 0
  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const ownSeed = `${seed}/${++requests}`
      const requestId = createId('req', createRandom(`${ownSeed}/request`))
      let notes: RequestNotes = {}
      const note = (more: RequestNotes): void => void (notes = { ...notes, ...more })
      const response = await answer(context, { request, requestId, seed: ownSeed, note })
      const { method } = request
      const path = new URL(request.url).pathname
      const { status } = response
      onRequest({ faults: [], notices: [], ...notes, requestId, method, path, status })
      return response
    },
  }
}

/** Rejects a rate that would never send anything; the fault `stall` exists for a model that hangs. */
function checkRate(name: string, value: number): void {
  if (value > 0) return
  throw new MillraceError('bad_request', `${name} must be a number above 0, not ${value}.`)
}

async function answer(context: EmulatorContext, exchange: Exchange): Promise<Response> {
  const { request, requestId } = exchange
  const chat = answerChat(context, exchange)
  if (chat !== undefined) return chat
  const { pathname } = new URL(request.url)
  const fail = (error: ApiError): Response =>
    toErrorResponse(error, { requestId, headers: toApiHeaders(requestId, context.now()) })
  const route = routes.find(({ method, path }) => method === request.method && path.test(pathname))
  if (route === undefined) return fail(notFound(`${request.method} ${pathname}`))
  const problem = findHeaderProblem(request.headers)
  if (problem !== undefined) return fail(problem)
  try {
    return await route.answer(context, exchange)
  } catch (error) {
    // An aborted request gets no response, as over a network.
    request.signal.throwIfAborted()
    return fail(toApiError(error))
  }
}

function notFound(what: string): ApiError {
  const message = `There is no ${what} here, only POST /v1/messages, POST /v1/messages/count_tokens, POST /v1/chat/completions, GET /v1/models and GET /v1/files/{id}.`
  return { type: 'not_found_error', message }
}

function toApiError(error: unknown): ApiError {
  if (!isMillraceError(error)) {
    return { type: 'api_error', message: error instanceof Error ? error.message : String(error) }
  }
  const type = error.code === 'payload_too_large' ? 'request_too_large' : 'invalid_request_error'
  return { type, message: error.message }
}
