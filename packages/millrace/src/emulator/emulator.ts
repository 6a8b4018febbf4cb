import { isMillraceError } from '../errors/index.ts'
import { type ApiError, toErrorResponse } from './api-error.ts'
import { demoScenarios } from './demo-scenarios.ts'
import { checkChain } from './message-chain.ts'
import { decodeMessagesRequest, type MessagesRequest } from './messages-request.ts'
import { naturalPace, type Pace } from './pace.ts'
import { createId, createRandom } from './random.ts'
import { readJson } from './request-body.ts'
import { findHeaderProblem } from './request-headers.ts'
import { respondStreaming, respondWhole } from './respond.ts'
import type { Scenario, ScriptedReply } from './scenario.ts'
import { toTurn } from './turn.ts'

/** How an emulator behaves. */
export interface EmulatorOptions {
  /** Asked in order; the first that matches answers. */
  readonly scenarios?: readonly Scenario[]
  /** `instant` waits for nothing, also where a scenario has a pace of its own. */
  readonly pace?: Pace | 'instant'
  /** The same seed gives the same ids and pieces for the same sequence of requests; default: a new one. */
  readonly seed?: string
  readonly maxBodyBytes?: number
}

/** A scripted model behind the Anthropic Messages API. */
export interface Emulator {
  /** Answers a request; has the shape of `fetch`, so that a client can be pointed at it without a socket. */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>
}

interface Exchange {
  readonly request: Request
  readonly requestId: string
  readonly seed: string
}

/** Creates an emulator of the Anthropic Messages API that needs no key and no network. */
export function createEmulator({
  scenarios = demoScenarios,
  pace = naturalPace,
  seed = crypto.randomUUID(),
  maxBodyBytes = 32 * 1024 * 1024,
}: EmulatorOptions = {}): Emulator {
  let requests = 0

  async function decode(request: Request, needsMaxTokens: boolean): Promise<MessagesRequest> {
    const body = await readJson(request, maxBodyBytes)
    const version = request.headers.get('anthropic-version')
    const decoded = decodeMessagesRequest(body, { version, needsMaxTokens })
    checkChain(decoded.messages)
    return decoded
  }

  async function createMessage({ request, ...exchange }: Exchange): Promise<Response> {
    const decoded = await decode(request, true)
    const { model, inputTokens, stream } = decoded
    const reply = findReply(scenarios, decoded)
    const answer = { ...exchange, model, inputTokens }
    if (!stream) return respondWhole(reply, answer)
    const speed = pace === 'instant' ? pace : (reply.pace ?? pace)
    return respondStreaming(reply, { ...answer, pace: speed, signal: request.signal })
  }

  async function countMessage({ request, requestId }: Exchange): Promise<Response> {
    const { inputTokens } = await decode(request, false)
    return Response.json({ input_tokens: inputTokens }, { headers: { 'request-id': requestId } })
  }

  const routes = new Map([
    ['POST /v1/messages', createMessage],
    ['POST /v1/messages/count_tokens', countMessage],
  ])

  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const ownSeed = `${seed}/${++requests}`
      const requestId = createId('req', createRandom(`${ownSeed}/request`))
      const path = `${request.method} ${new URL(request.url).pathname}`
      const route = routes.get(path)
      if (route === undefined) return toErrorResponse(notFound(path, routes.keys()), requestId)
      const problem = findHeaderProblem(request.headers)
      if (problem !== undefined) return toErrorResponse(problem, requestId)
      return route({ request, requestId, seed: ownSeed }).catch((error: unknown) =>
        toErrorResponse(toApiError(error), requestId),
      )
    },
  }
}

function findReply(scenarios: readonly Scenario[], request: MessagesRequest): ScriptedReply {
  const turn = toTurn(request)
  for (const scenario of scenarios) {
    const match = scenario.matches(turn.prompt)
    if (match !== false) return scenario.reply({ ...turn, args: match === true ? {} : match })
  }
  const names = scenarios.map(({ name }) => name).join(', ')
  return {
    blocks: [{ type: 'text', text: `No scenario answers this prompt; there are ${names}.` }],
  }
}

function notFound(path: string, known: Iterable<string>): ApiError {
  const message = `There is no ${path} here, only ${[...known].join(' and ')}.`
  return { type: 'not_found_error', message }
}

function toApiError(error: unknown): ApiError {
  if (!isMillraceError(error)) {
    return { type: 'api_error', message: error instanceof Error ? error.message : String(error) }
  }
  const type = error.code === 'payload_too_large' ? 'request_too_large' : 'invalid_request_error'
  return { type, message: error.message }
}
