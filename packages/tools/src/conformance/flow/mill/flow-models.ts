import { anthropic, type Model } from 'millrace/anthropic'
import { createEmulator, type Scenario } from '../../../emulator/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from 'millrace'
import { serve } from 'millrace/node'
import type { FlowReply } from '../flow-input.ts'
import { toScriptedReply } from './script-reply.ts'

/** A request to a model of a case. */
export interface ModelRequest {
  /** The names from the root to the agent of the request; empty for the root. */
  readonly path: readonly string[]
  readonly body: JsonObject
  /** Whether the API would accept it. */
  isValid: boolean
  /** The error of the API. */
  problem: string
}

/** The models of a case: one script each, behind one socket. */
export interface FlowModels {
  readonly requests: readonly ModelRequest[]
  /** Adds a model that sends its replies in order, one for each request, and then a default reply. */
  add(path: readonly string[], replies: readonly FlowReply[], options?: ModelOptions): Model
  /** Makes every model send the default reply from now on. */
  finishScripts(): void
  close(): Promise<void>
}

interface ModelOptions {
  readonly serverTools?: readonly JsonObject[]
}

const pastTheEnd = { blocks: [{ type: 'text', text: 'done' }] } as const

/** Responds to the requests to one model. */
type Answer = (request: Request) => Promise<Response>

/** Starts the server of the models, each under a number. */
export async function openModels(): Promise<FlowModels> {
  const requests: ModelRequest[] = []
  const answers: Answer[] = []
  let isOver = false
  const fetch = (request: Request): Response | Promise<Response> => {
    const [, place = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(new URL(request.url).pathname) ?? []
    const answer = answers[Number(place)]
    if (answer === undefined) return new Response('There is no such model.', { status: 404 })
    const { method, headers, body, signal } = request
    const init = { method, headers, signal, body, duplex: 'half' }
    return answer(new Request(new URL(path, request.url), init))
  }
  const server = await serve({ handler: { fetch }, port: 0, closeGraceMs: 50 })
  return {
    requests,
    add(path, replies, { serverTools = [] } = {}) {
      const script = createScript(replies, () => isOver)
      const place = answers.push(createAnswer(path, script, requests)) - 1
      return anthropic(path.at(-1) ?? 'emulator', {
        baseURL: `${server.url}/${place}`,
        apiKey: 'none',
        maxRetries: 0,
        request: serverTools.length === 0 ? {} : { tools: serverTools as never[] },
      })
    },
    finishScripts: () => void (isOver = true),
    close: server.close,
  }
}

/** Creates a scenario that sends replies in order, one for each request. */
function createScript(replies: readonly FlowReply[], isOver: () => boolean): Scenario {
  let count = 0
  return {
    name: 'case',
    summary: 'the replies of a case',
    matches: () => true,
    reply: () => {
      const reply = isOver() ? undefined : replies[count++]
      return reply === undefined ? pastTheEnd : toScriptedReply(reply)
    },
  }
}

function createAnswer(path: readonly string[], script: Scenario, requests: ModelRequest[]): Answer {
  const valid = new Set<string>()
  const emulator = createEmulator({
    scenarios: [script],
    pace: 'instant',
    seed: path.join('/'),
    // A scenario is only called for requests that the API accepts.
    onRequest: ({ requestId, scenario }) => void (scenario && valid.add(requestId)),
  })
  return async (request) => {
    const body = parseJsonObject(await request.clone().text()) ?? {}
    const noted = { path, body, isValid: true, problem: '' }
    requests.push(noted)
    const response = await emulator.fetch(request)
    noted.isValid = valid.has(response.headers.get('request-id') ?? '')
    if (!noted.isValid) noted.problem = await problemOf(response.clone())
    return response
  }
}

async function problemOf(response: Response): Promise<string> {
  const body = parseJsonObject(await response.text())
  const error = isJsonObject(body?.['error']) ? body['error'] : {}
  return String(error['message'] ?? response.status)
}
