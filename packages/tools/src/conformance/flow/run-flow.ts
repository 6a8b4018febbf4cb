import { readState } from 'millrace/agent'
import type { Frame } from 'millrace/client'
import {
  decodeSse,
  DONE_DATA,
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  type Transcript,
} from 'millrace'
import type { SessionInfo, Store } from 'millrace/store'
import type { FlowInput, FlowPrompt, FlowRequest } from './flow-input.ts'
import { createFlowLogs, createTalk, type FlowTalk } from './flow-talk.ts'
import type { ModelRequest } from './mill/flow-models.ts'
import { type PlannedStep, planOf, serverCount } from './mill/flow-plan.ts'
import { type FlowServers, openFlowServers } from './mill/flow-servers.ts'
import { createToolGate, type ToolGate, type ToolLog } from './mill/flow-tools.ts'
import { createFlowWatch, type FlowWatch } from './flow-watch.ts'
import { type LogClient, openLogClient } from './log-client.ts'

/** The response to one request: a stream, or a body. */
interface FlowResponse {
  readonly status: number
  /** The log that it names. [LOG-12] */
  readonly log?: string
  /** The frames of a stream as received, including `[DONE]`. */
  readonly frames?: readonly Frame[]
  readonly body?: JsonObject
}

/** Reads a response to its end, and passes on each frame at once. A connection failure ends it. */
async function readResponse(
  response: Response,
  onFrame: (frame: Frame) => void,
): Promise<FlowResponse> {
  const { status, body, headers } = response
  const named = headers.get('millrace-log')
  const head = { status, ...(named !== null && { log: named }) }
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const answer: unknown = await response.json().catch(() => ({}))
    return { ...head, body: isJsonObject(answer) ? answer : {} }
  }
  const frames: Frame[] = []
  try {
    for await (const events of decodeSse(body)) {
      for (const { data, id } of events) {
        const frame = { data, id: id === undefined ? undefined : Number(id) }
        frames.push(frame)
        onFrame(frame)
      }
    }
  } catch {
    // A cut frame and a connection failure show by the missing `[DONE]`.
  }
  return { ...head, frames }
}

/** The observations of a run of a flow. */
export interface FlowReport {
  readonly session: string
  /** The response to each request, in the order of the case. */
  readonly responses: readonly FlowResponse[]
  /** The transcript of a client that reads the whole log. */
  readonly transcript: Transcript
  /** The requests to all models in order, including those of sub-agents. */
  readonly requests: readonly ModelRequest[]
  readonly tools: Pick<ToolLog, 'runs' | 'maxConcurrent'>
  /** The response of `GET /agent/{uuid}` at the end. */
  readonly view: JsonObject
  readonly messages: readonly JsonObject[]
  /** The stored data before the last request of a case whose store fails, and after it. */
  readonly stored: readonly [SessionInfo | undefined, SessionInfo | undefined]
  /** The request to the model after another prompt. */
  readonly next: ModelRequest | undefined
  /** The whole log as a client read it, up to that prompt. */
  readonly frames: readonly Frame[]
  /** Faults that no case may expect. */
  readonly faults: readonly string[]
}

const TIME_LIMIT_MS = 15_000

/** Runs a case on its own servers, over sockets, with a scripted model behind the client of the real API. */
export async function runFlow(input: FlowInput): Promise<FlowReport> {
  const plan = planOf(input)
  const watch = createFlowWatch()
  const gate = createToolGate()
  const servers = await openFlowServers(input, {
    count: serverCount(plan),
    mayAnswer: gate.opened,
    until: watch.until,
  })
  const flow = new FlowRun(input, { servers, watch, gate })
  try {
    return await flow.run(plan)
  } finally {
    flow.close()
    await servers.close()
  }
}

interface FlowRunOptions {
  readonly servers: FlowServers
  readonly watch: FlowWatch
  readonly gate: ToolGate
}

class FlowRun {
  readonly #input: FlowInput
  readonly #servers: FlowServers
  readonly #watch: FlowWatch
  readonly #gate: ToolGate
  readonly #session: string
  readonly #logs = createFlowLogs()
  readonly #talk: FlowTalk
  readonly #signal = AbortSignal.timeout(TIME_LIMIT_MS)
  readonly #open = new Set<Promise<void>>()
  readonly #responses = new Map<PlannedStep, readonly FlowResponse[]>()
  readonly #faults: string[] = []
  /** Functions that release tools, by the steps whose responses these wait for. */
  readonly #holds = new Map<PlannedStep, () => void>()
  #stored: FlowReport['stored'] = [undefined, undefined]
  #client: LogClient | undefined
  /** Number of removals of the session, which end open streams without `[DONE]`. [LOG-13] */
  #removals = 0
  /** Whether all streams were read, so that nothing more is sent. */
  #isOver = false

  constructor(input: FlowInput, { servers, watch, gate }: FlowRunOptions) {
    const { agent_uuid: session = crypto.randomUUID(), flag } = input
    this.#input = input
    this.#servers = servers
    this.#watch = watch
    this.#gate = gate
    this.#session = session
    this.#talk = createTalk({ session, flag, watch, logs: this.#logs, signal: this.#signal })
    this.#signal.addEventListener('abort', () => this.#client?.close())
  }

  async run(plan: readonly PlannedStep[]): Promise<FlowReport> {
    for (const step of plan.filter(isInTools)) this.#holds.set(step, this.#gate.hold())
    for (const step of plan) {
      if (step.when !== undefined) void this.#watch.until(step.when).then(() => this.#begin(step))
      else {
        await this.#settle()
        this.#begin(step)
      }
    }
    await this.#settle()
    this.#isOver = true
    const responses = plan.flatMap((step) => this.#responses.get(step) ?? this.#blameMissing(step))
    return this.#report(responses)
  }

  close(): void {
    this.#client?.close()
  }

  #begin(step: PlannedStep): void {
    if (this.#isOver) return
    if (step.requests.length > 1) this.#hold(step)
    const done = this.#take(step)
      .catch((error: unknown) => this.#fail(step, error))
      .finally(() => this.#open.delete(done))
    this.#open.add(done)
  }

  /** Resolves when all streams have ended, including those that are opened meanwhile. */
  async #settle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  async #take(step: PlannedStep): Promise<void> {
    const { store, breakStore } = this.#servers
    const before = step.breaksStore === true ? await store.info(this.#session) : undefined
    breakStore(step.breaksStore === true)
    const sent = step.requests.map((request) => this.#send(request))
    void Promise.allSettled(sent.map(({ arrived }) => arrived)).then(this.#holds.get(step))
    const responses = await Promise.all(sent.map(({ response }) => response))
    this.#responses.set(
      step,
      responses.flatMap((response) => response ?? []),
    )
    if (step.breaksStore !== true) return
    breakStore(false)
    this.#stored = [before, await store.info(this.#session)]
  }

  #fail(step: PlannedStep, error: unknown): void {
    this.#responses.set(step, [])
    this.#holds.get(step)?.()
    this.#faults.push(`a request failed: ${error instanceof Error ? error.message : String(error)}`)
  }

  #hold(step: PlannedStep): void {
    if (!this.#holds.has(step)) this.#holds.set(step, this.#gate.hold())
  }

  #send(request: FlowRequest): Sent {
    const { server } = request
    if (request.close === true) return toSent(this.#servers.closeServer(server))
    if (request.kill === true) return toSent(this.#servers.killServer(server))
    if (request.remove === true) return toSent(this.#remove())
    const { disconnect_after_messages: cutAfter } = this.#input
    if (cutAfter !== undefined && request.prompt !== undefined && this.#client === undefined)
      return toSent(this.#askThroughCut(request.prompt))
    const arrived = this.#talk.send(request, this.#servers.url(server))
    return { arrived, response: this.#read(arrived, server) }
  }

  /** Removes the session. The frames that were read of it are kept apart from those of a new one. */
  async #remove(): Promise<void> {
    this.#removals++
    await this.#servers.store.remove(this.#session)
    this.#watch.reset()
  }

  async #read(arriving: Promise<Response>, server: number): Promise<FlowResponse> {
    const removals = this.#removals
    const response = await arriving.catch((error: unknown) => {
      if (this.#servers.isOpen(server)) throw error
      return Response.error()
    })
    const log = response.headers.get('millrace-log')
    if (log !== null) this.#logs.name(log)
    const found = await readResponse(response, (frame) => {
      if (log !== null && frame.id !== undefined) this.#logs.read(log, frame.id)
      if (removals === this.#removals) this.#see(frame)
    })
    const isCut = found.frames !== undefined && found.frames.at(-1)?.data !== DONE_DATA
    const isWhole = this.#servers.isOpen(server) && removals === this.#removals
    if (isCut && isWhole) this.#faults.push('a stream ended without [DONE]')
    return found
  }

  #see({ id, data }: Frame): void {
    if (id !== undefined && data !== DONE_DATA) this.#watch.push(id, data)
  }

  #blameMissing({ when }: PlannedStep): [] {
    this.#faults.push(`no message like ${JSON.stringify(when)} arrived, so a request was not sent`)
    return []
  }

  async #askThroughCut(prompt: FlowPrompt): Promise<FlowResponse> {
    const client = this.#openClient()
    await client.run(prompt)
    return { status: 200, frames: client.frames() }
  }

  #openClient(): LogClient {
    this.#client ??= openLogClient(this.#input, {
      url: this.#urlOfOpen(),
      session: this.#session,
      onFrame: (frame) => this.#see(frame),
    })
    return this.#client
  }

  #urlOfOpen(): string {
    let server = 1
    while (!this.#servers.isOpen(server) && this.#servers.url(server) !== '') server++
    return this.#servers.url(server)
  }

  async #report(responses: readonly FlowResponse[]): Promise<FlowReport> {
    const { models, store, tools, violations, errors } = this.#servers
    const client = this.#openClient()
    // Without a run there is nothing to watch.
    await client.watch().catch(() => {})
    const transcript = client.transcript()
    const frames = client.frames()
    const session = this.#session
    const view = await readResponse(await this.#talk.look(this.#urlOfOpen()), () => {})
    const messages = await messagesOf(store, session)
    const said = { responses, transcript, view: view.body ?? {}, messages }
    const done = { requests: [...models.requests], tools: { ...tools, runs: [...tools.runs] } }
    const last = await this.#askOnceMore(responses)
    const hasFailed = [...responses, ...last].some(hasFailedInside)
    const faults = [
      ...this.#faults,
      ...violations.map(({ rule, message }) => `[${rule}] ${message}`),
      ...(hasFailed ? errors.map((error) => `inside: ${String(error)}`) : []),
    ]
    const next = last.length === 0 ? undefined : models.requests[done.requests.length]
    return { session, ...said, ...done, stored: this.#stored, next, frames, faults }
  }

  /** A conversation that has begun must be able to continue, after any fault. */
  async #askOnceMore(responses: readonly FlowResponse[]): Promise<readonly FlowResponse[]> {
    if (responses.every(({ frames }) => frames === undefined)) return []
    this.#servers.models.finishScripts()
    const prompt = { prompt: 'And then?', server: 1, times: 1, log_in: 'header' } as const
    const response = await this.#talk.send(prompt, this.#urlOfOpen())
    const found = await readResponse(response, () => {})
    if (found.frames?.at(-1)?.data !== DONE_DATA)
      this.#faults.push(`another prompt was not answered: ${JSON.stringify(found.body ?? found)}`)
    return [found]
  }
}

interface Sent {
  /** Resolves when the server has begun to respond. */
  readonly arrived: Promise<unknown>
  /** Resolves when the whole response was read; undefined if there is none. */
  readonly response: Promise<FlowResponse | undefined>
}

function toSent(response: Promise<FlowResponse | void>): Sent {
  return { arrived: response, response: response.then((found) => found ?? undefined) }
}

/** Whether tools wait until a step has its responses. */
function isInTools({ when }: PlannedStep): boolean {
  return when !== undefined && String(when['type']).startsWith('tool_')
}

/** Whether a response has an internal error, not one of a model or a tool. */
function hasFailedInside({ frames = [] }: FlowResponse): boolean {
  return frames.some(({ data }) => {
    const message = parseJsonObject(data)
    if (message?.['type'] !== 'error') return false
    return parseJsonObject(String(message['delta']))?.['code'] === 'internal'
  })
}

async function messagesOf(store: Store, session: string): Promise<readonly JsonObject[]> {
  const all = (collection: string, limit = Number.MAX_SAFE_INTEGER) =>
    store.parts(session, collection, { after: -1, limit })
  const read = await readState({
    cells: async () => new Map((await all('own:cells')).map(({ number, body }) => [number, body])),
    async *parts(lane, { upTo } = {}) {
      yield* await all(`lane:${lane}`, upTo)
    },
    blocks: { toStored: (block) => block, restore: async (blocks) => blocks },
  })
  return (read?.state.messages ?? []) as unknown as readonly JsonObject[]
}
