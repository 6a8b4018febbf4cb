import { MillraceError } from 'millrace'
import type { Answer, Task } from '../implementation.ts'
import { type AdapterProcess, cut, startAdapter } from './adapter-process.ts'
import { decodeAnswer, decodeHello, encodeTask, type Hello } from './messages.ts'

/** Limits of a link to an adapter. */
export interface LinkOptions {
  /** Timeout of its hello. */
  readonly startLimitMs?: number
  /** Timeout without output while an answer is pending. */
  readonly timeLimitMs?: number
  readonly maxLineChars?: number
  /** Timeout after each way of ending it. */
  readonly graceMs?: number
  /** Ends it at once; pending tasks are answered with that. */
  readonly signal?: AbortSignal
}

/** One process of an adapter, from its hello to its end. */
export type AdapterLink = Awaited<ReturnType<typeof openLink>>

/** Starts an adapter and waits for its hello; ends it if there is none. */
export async function openLink(command: readonly string[], options: LinkOptions = {}) {
  const link = new Link(command, options)
  const hello = await link.greeted
  return {
    hello,
    /** Whether it has ended, and pending tasks were answered with the reason. */
    get isLost() {
      return link.isLost
    },
    /** Runs a task; a failure is an answer too. */
    ask: (task: Task): Promise<Answer> => link.ask(task),
    /** Ends it; resolves with the failure since the last answer, if any. */
    close: (): Promise<string | undefined> => link.close(),
  }
}

const forPeople = 'Text for people belongs on stderr'

class Link {
  readonly greeted: Promise<Hello>
  readonly #startLimitMs: number
  readonly #timeLimitMs: number
  readonly #adapter: AdapterProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #settleHello: { resolve(hello: Hello): void; reject(error: Error): void } | undefined
  #lost: string | undefined
  #isReported = false
  #ended: Promise<void> | undefined
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #sending = Promise.resolve()
  #count = 0
  /** Aborted when nothing more is read from it. */
  readonly #over = new AbortController()

  constructor(
    command: readonly string[],
    {
      startLimitMs = 30_000,
      timeLimitMs = 30_000,
      maxLineChars = 64 * 1024 * 1024,
      graceMs = 2000,
      signal,
    }: LinkOptions,
  ) {
    this.#startLimitMs = startLimitMs
    this.#timeLimitMs = timeLimitMs
    this.greeted = new Promise((resolve, reject) => (this.#settleHello = { resolve, reject }))
    this.#adapter = startAdapter(command, {
      maxLineChars,
      graceMs,
      onLine: (line) => this.#takeLine(line),
      onFault: (why) => this.#lose(why),
      onGone: (why) => {
        if (!this.#isClosing) this.#lose(why)
      },
    })
    this.#awaitMore()
    const stop = (): void => this.#lose('was stopped')
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true, signal: this.#over.signal })
  }

  get isLost(): boolean {
    return this.#isReported
  }

  ask(task: Task): Promise<Answer> {
    if (this.#lost !== undefined) {
      this.#isReported = true
      return Promise.resolve({ error: this.#lost, isLost: true })
    }
    const id = ++this.#count
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    if (this.#waiting.size === 1) this.#awaitMore()
    // Lines are sent in order, each encoded when there is room for it.
    this.#sending = this.#sending
      .then(async () => {
        if (this.#waiting.has(id)) await this.#adapter.send(encodeTask({ id, task }))
      })
      .catch((error: unknown) => this.#lose(`could not be sent a task: ${String(error)}`))
    return answer
  }

  async close(): Promise<string | undefined> {
    this.#isClosing = true
    this.#over.abort()
    if (this.#lost === undefined) await this.#adapter.end('politely')
    await this.#ended
    return this.#isReported ? undefined : this.#lost
  }

  /** After a failure, its output is ignored. */
  #lose(why: string): void {
    if (this.#lost !== undefined) return
    this.#lost = `the adapter ${why}`
    clearTimeout(this.#timer)
    this.#over.abort()
    this.#ended = this.#adapter.end('now')
    this.#isReported = this.#waiting.size > 0
    for (const answer of this.#waiting.values()) answer({ error: this.#lost, isLost: true })
    this.#waiting.clear()
    const failure = new MillraceError('connection_lost', `The adapter ${why}.`)
    void this.#ended.then(() => this.#settleHello?.reject(failure))
  }

  /** Restarts the timeout of pending answers. */
  #awaitMore(): void {
    clearTimeout(this.#timer)
    const isGreeted = this.#settleHello === undefined
    if (this.#lost !== undefined || (isGreeted && this.#waiting.size === 0)) return
    const what = isGreeted ? 'gave no answer' : 'did not say hello'
    const limitMs = isGreeted ? this.#timeLimitMs : this.#startLimitMs
    this.#timer = setTimeout(() => this.#lose(`${what} within ${limitMs} ms`), limitMs)
  }

  #takeLine(line: string): void {
    if (this.#lost !== undefined) return
    const what = this.#settleHello === undefined ? 'an answer' : 'its hello'
    try {
      if (this.#settleHello === undefined) this.#takeAnswer(line)
      else this.#takeHello(line)
      this.#awaitMore()
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      this.#lose(`wrote ${cut(line)}, which is not ${what}: ${problem}. ${forPeople}`)
    }
  }

  #takeHello(line: string): void {
    const hello = decodeHello(line)
    this.#settleHello?.resolve(hello)
    this.#settleHello = undefined
  }

  #takeAnswer(line: string): void {
    const { id, answer } = decodeAnswer(line)
    const settle = this.#waiting.get(id)
    if (settle === undefined) throw new Error(`task ${id} is not pending`)
    this.#waiting.delete(id)
    settle(answer)
  }
}
