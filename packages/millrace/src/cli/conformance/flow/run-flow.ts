import { createSession, type Frame, type Session } from '../../../client/index.ts'
import type { Envelope } from '../../../envelope/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../json/index.ts'
import { DONE_DATA } from '../../../sse/index.ts'
import type { SessionInfo } from '../../../store/index.ts'
import type { Transcript } from '../../../transcript/index.ts'
import { cutBody } from './cut-body.ts'
import { createWatch, type FlowAct, type Seen, toAct } from './flow-acts.ts'
import { type FlowHouse, openFlowHouse } from './flow-house.ts'
import { type FlowInput, type FlowPrompt, type FlowStep, stepsOf } from './flow-input.ts'
import type { FlowRequest } from './flow-models.ts'
import { createCollector, type FlowStream, readFlowStream } from './flow-stream.ts'
import { createTalk, type FlowTalk } from './flow-talk.ts'
import type { ToolLog } from './flow-tools.ts'

/** All that came of a case. */
export interface FlowReport {
  readonly session: string
  /** What each request was answered, in order. */
  readonly streams: readonly FlowStream[]
  /** What a client that read along, or reads it all later, shows. */
  readonly transcript: Transcript
  /** What the models were asked, sub-agents' too, in order. */
  readonly requests: readonly FlowRequest[]
  readonly tools: Pick<ToolLog, 'runs' | 'maxConcurrent'>
  /** What `GET /agent/{uuid}` says at the end. */
  readonly view: JsonObject
  /** The conversation as it is stored. */
  readonly messages: readonly JsonObject[]
  /** What is stored before the last request of a case whose store fails, and after it. */
  readonly stored: readonly [SessionInfo | undefined, SessionInfo | undefined]
  /** What the model is asked when a person writes again after all this. */
  readonly next: FlowRequest | undefined
  /** What the client was sent, up to then. */
  readonly frames: readonly Frame[]
  /** What went wrong that no case may expect. */
  readonly faults: readonly string[]
}

/** A case that takes longer hangs. */
const TIME_LIMIT_MS = 15_000

/** Runs a case on a server of its own, over sockets, with a scripted model behind the real API's client. */
export async function runFlow(input: FlowInput): Promise<FlowReport> {
  const house = await openFlowHouse(input)
  const flow = new FlowRun(input, house)
  try {
    return await flow.run()
  } finally {
    flow.close()
    house.releaseTools()
    await house.close()
  }
}

class FlowRun {
  readonly #input: FlowInput
  readonly #house: FlowHouse
  readonly #session: string
  readonly #talk: FlowTalk
  readonly #client: Session
  readonly #streams: FlowStream[] = []
  /** What the client was sent. */
  readonly #frames: Frame[] = []
  readonly #faults: string[] = []
  readonly #commands: Promise<void>[] = []
  #act: FlowAct | undefined
  #stored: FlowReport['stored'] = [undefined, undefined]

  constructor(input: FlowInput, house: FlowHouse) {
    const { agent_uuid: session = crypto.randomUUID(), flag } = input
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    this.#input = input
    this.#house = house
    this.#session = session
    this.#talk = createTalk({ url: house.url, session, flag, signal })
    this.#client = this.#openClient()
    this.#act = toAct(input)
    signal.addEventListener('abort', () => this.#client.close())
    if (this.#act?.isInTools !== true) house.releaseTools()
  }

  async run(): Promise<FlowReport> {
    const { prompt, storage_load: fails, disconnect_after_messages: cutAfter } = this.#input
    if (fails !== undefined) await this.#failToLoad(prompt)
    else if (cutAfter !== undefined) await this.#askThroughCut(prompt)
    else await this.#read(await this.#talk.ask(prompt))
    for (const step of stepsOf(this.#input)) await this.#take(step)
    await Promise.all(this.#commands)
    return this.#report()
  }

  close(): void {
    this.#client.close()
  }

  /** A session that has something to lose, and a prompt while it cannot be loaded. */
  async #failToLoad(prompt: FlowPrompt): Promise<void> {
    const { breakStore, store } = this.#house
    await this.#read(await this.#talk.ask('Remember this.'))
    const before = await store.info(this.#session)
    breakStore(true)
    await this.#read(await this.#talk.ask(prompt))
    breakStore(false)
    this.#stored = [before, await store.info(this.#session)]
  }

  async #take({ tool_results: results, approvals, prompt, stop }: FlowStep): Promise<void> {
    if (results !== undefined) await this.#read(await this.#talk.answer(results))
    if (approvals !== undefined) await this.#read(await this.#talk.decide(approvals))
    if (prompt !== undefined) await this.#read(await this.#talk.ask(prompt))
    if (stop === true) await this.#stopPaused()
  }

  async #stopPaused(): Promise<void> {
    const { tail } = await this.#talk.view()
    this.#blame(await this.#talk.command('stop', {}))
    await this.#read(await this.#talk.read(Number(tail)))
  }

  async #read(response: Response): Promise<void> {
    const stream = await readFlowStream(
      response,
      createWatch((seen) => this.#see(seen)),
    )
    this.#streams.push(stream)
    if (stream.status === 200 && !stream.isDone) this.#blame('a stream ended without [DONE]')
  }

  #see(seen: Seen): void {
    const act = this.#act
    if (act?.isDue(seen) !== true) return
    this.#act = undefined
    this.#commands.push(this.#do(act, seen))
  }

  async #do({ path, body, agent }: FlowAct, { names }: Seen): Promise<void> {
    const meant = [...names].find(([, name]) => name === agent)?.[0]
    this.#blame(
      await this.#talk.command(path, meant === undefined ? body : { ...body, agent: meant }),
    )
    this.#house.releaseTools()
  }

  #blame(fault: string | undefined): void {
    if (fault !== undefined) this.#faults.push(fault)
  }

  /** The client of the library loses its connection and heals that by itself. */
  async #askThroughCut(prompt: FlowPrompt): Promise<void> {
    await this.#client.run(typeof prompt === 'string' ? prompt : JSON.stringify(prompt))
    const messages: Envelope[] = []
    const collect = createCollector((message) => messages.push(message))
    for (const { data } of this.#frames) if (data !== DONE_DATA) collect(data)
    this.#streams.push({ status: 200, messages, isDone: this.#isDone() })
  }

  #openClient(): Session {
    const { reconnect_after_ms: retryDelayMs, flag } = this.#input
    let cutAfter = this.#input.disconnect_after_messages
    return createSession({
      url: this.#house.url,
      session: this.#session,
      retryDelayMs,
      random: () => 1,
      runFields: { stream_meta_history_and_tool_results: flag },
      onFrame: (frame) => this.#frames.push(frame),
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (cutAfter === undefined) return response
        const cut = cutBody(response, cutAfter)
        cutAfter = undefined
        return cut
      },
    })
  }

  #isDone(): boolean {
    return this.#frames.at(-1)?.data === DONE_DATA
  }

  async #report(): Promise<FlowReport> {
    const { models, store, tools, violations, errors } = this.#house
    const view = await this.#talk.view()
    const messages = messagesOf(await store.info(this.#session))
    // Where nothing was begun there is nothing to watch.
    await this.#client.watch().catch(() => {})
    const { transcript } = this.#client.getSnapshot()
    const said = { streams: [...this.#streams], transcript, view, messages }
    const done = { requests: [...models.requests], tools: { ...tools, runs: [...tools.runs] } }
    const frames = [...this.#frames]
    const next = await this.#askOnceMore()
    const faults = [
      ...this.#faults,
      ...violations.map(({ rule, message }) => `[${rule}] ${message}`),
      ...(this.#streams.some(hasFailedInside)
        ? errors.map((error) => `inside: ${String(error)}`)
        : []),
    ]
    const session = this.#session
    return { session, ...said, ...done, stored: this.#stored, next, frames, faults }
  }

  /** Whatever has happened, a conversation that has begun can go on. */
  async #askOnceMore(): Promise<FlowRequest | undefined> {
    const { models } = this.#house
    if (this.#streams.every(({ status }) => status !== 200)) return undefined
    const { length } = models.requests
    models.finishScripts()
    await this.#read(await this.#talk.ask('And then?'))
    return models.requests[length]
  }
}

/** An error of ours, not one of a model or a tool. */
function hasFailedInside({ messages }: FlowStream): boolean {
  return messages.some(
    ({ type, delta }) => type === 'error' && parseJsonObject(delta)?.['code'] === 'internal',
  )
}

function messagesOf(info: SessionInfo | undefined): readonly JsonObject[] {
  const state = parseJsonObject(info?.record?.json ?? '')?.['state']
  const messages = isJsonObject(state) ? state['messages'] : []
  return Array.isArray(messages) ? messages.filter(isJsonObject) : []
}
