import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from 'millrace/server'
import { post } from '../mill/ask.ts'
import type { Mill } from '../mill/open-mill.ts'
import { until } from '../pair/until.ts'

/** The servers, a reader of the store, and the gates of runs that hold. */
export interface CommandStage {
  readonly living: () => readonly Mill[]
  /** Reads the store without the servers. */
  readonly store: Store
  readonly gates: string
  readonly shippedPath: string
  readonly random: (limit: number) => number
  readonly signal: AbortSignal
}

/** A request and its response. */
export interface Sent {
  /** Distinguishes this request from others, such as the text of a message. */
  readonly mark: string
  /** Undefined if the connection failed: the outcome of the request is unknown. */
  readonly status: number | undefined
  readonly text: string
}

/** A pending call, as in `GET /agent/{uuid}`. */
interface Waiting {
  readonly tool_use_id: string
}

/** The state of a session, as in `GET /agent/{uuid}`. */
interface SessionState {
  readonly status: string
  readonly total_runs: number
  readonly pending: readonly Waiting[]
  readonly pending_approvals: readonly Waiting[]
}

/** Longer than a server may wait for the processor on a busy machine: a run whose lease is not confirmed ends. */
export const LEASE_MS = 6_000
const LIMIT_MS = 60_000
const MAX_ATTEMPTS = 40

/** Whether a server has acknowledged a request. */
export function isAcknowledged({ status }: Sent): boolean {
  return status === 200
}

const idOf = ({ tool_use_id: id }: Waiting): string => id

/** One session that gets commands, at any running server. */
export class CommandSession {
  readonly id: string = crypto.randomUUID()
  readonly #stage: CommandStage

  constructor(stage: CommandStage) {
    this.#stage = stage
  }

  /** Starts a run; a request without a response is repeated unless the run exists. */
  async start(prompt: string): Promise<void> {
    const body = { agent_uuid: this.id, user_prompt: prompt }
    const isStarted = async (): Promise<boolean> => {
      if ((await this.state()) !== undefined) return true
      return isAcknowledged(await this.send('/agent/run', body, ''))
    }
    await this.#until(isStarted, 'did not start')
  }

  /**
   * Sends a request to a random server; without a body it is a `DELETE`. The response counts once its head has arrived, because it may be a
   * stream.
   */
  async send(path: string, body: object | undefined, mark: string): Promise<Sent> {
    const mill = await this.#someMill()
    try {
      const response =
        body === undefined
          ? await fetch(`${mill.url}${path}`, { method: 'DELETE' })
          : await post(mill, path, body)
      const { status, headers } = response
      const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
      if (!isStream) return { mark, status, text: await response.text() }
      await response.body?.cancel()
      return { mark, status, text: '' }
    } catch (error) {
      return { mark, status: undefined, text: String(error) }
    }
  }

  /**
   * Sends a command until it is acknowledged or permanently rejected; returns every attempt. Each
   * attempt is a separate command: `mark` has its number, so that the effects of two attempts can
   * be distinguished.
   */
  async insist(
    path: string,
    toBody: (mark: string) => object | undefined,
    name: string,
    isFinal: (sent: Sent) => boolean = isAcknowledged,
  ): Promise<readonly Sent[]> {
    const attempts: Sent[] = []
    while (attempts.length < MAX_ATTEMPTS) {
      const mark = `${name}.${attempts.length}`
      const sent = await this.send(path, toBody(mark), mark)
      attempts.push(sent)
      if (isFinal(sent)) break
      await this.#pause()
    }
    return attempts
  }

  /**
   * Sends the same command with the same key until it is acknowledged or permanently rejected, and then once more; returns every attempt.
   * All of them together may have one effect.
   */
  async repeat(
    path: string,
    body: { readonly message_id: string },
    isFinal: (sent: Sent) => boolean = isAcknowledged,
  ): Promise<readonly Sent[]> {
    const { message_id: mark } = body
    const attempts: Sent[] = []
    while (attempts.length < MAX_ATTEMPTS) {
      const sent = await this.send(path, body, mark)
      attempts.push(sent)
      if (isFinal(sent)) break
      await this.#pause()
    }
    return [...attempts, await this.send(path, body, mark)]
  }

  /** Waits for this many calls and approvals; returns their ids. */
  async waitFor(calls: number, approvals: number): Promise<readonly [string[], string[]]> {
    let found: readonly [string[], string[]] = [[], []]
    await this.#until(async () => {
      const state = await this.state()
      if (state === undefined) return false
      const { pending, pending_approvals: asked } = state
      found = [pending.map(idOf), asked.map(idOf)]
      return found[0].length === calls && found[1].length === approvals
    }, `does not wait for ${calls} calls and ${approvals} approvals`)
    return found
  }

  /** Releases a held run. */
  async openGate(): Promise<void> {
    await writeFile(join(this.#stage.gates, this.id), '')
  }

  /** Waits until this many runs have begun. */
  async begun(runs: number): Promise<void> {
    await this.#until(async () => {
      const state = await this.state()
      return state !== undefined && state.total_runs >= runs
    }, `has not begun ${runs} runs`)
  }

  /** Waits until this many runs have ended. */
  async ended(runs: number): Promise<void> {
    await this.#until(async () => {
      const state = await this.state()
      return state?.status === 'ended' && state.total_runs === runs
    }, `has not ended ${runs} runs`)
  }

  /** Waits until the run is over and no command is pending. */
  async finish(): Promise<void> {
    await this.#until(async () => {
      const info = await this.#stage.store.info(this.id)
      const state = await this.state()
      return state?.status === 'ended' && info?.pending === 0
    }, 'did not end')
  }

  /** Sends a request to a server; undefined without a response or without such a session. */
  async state(): Promise<SessionState | undefined> {
    const mill = await this.#someMill()
    try {
      const response = await fetch(`${mill.url}/agent/${this.id}`)
      const text = await response.text()
      return response.ok ? (JSON.parse(text) as SessionState) : undefined
    } catch {
      return undefined
    }
  }

  async #someMill(): Promise<Mill> {
    const { living, random, signal } = this.#stage
    await until(() => living().length > 0, { limitMs: LIMIT_MS, signal })
    const mills = living()
    const mill = mills[random(mills.length)]
    if (mill === undefined) throw new Error('There is no server.')
    return mill
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 20 + this.#stage.random(80)))
  }

  async #until(isSo: () => Promise<boolean>, problem: string): Promise<void> {
    const { signal, store } = this.#stage
    if (await until(isSo, { limitMs: LIMIT_MS, signal })) return
    const info = await store.info(this.id)
    const state = await this.state()
    throw new Error(`${problem}: ${JSON.stringify({ state, info })}`)
  }
}
