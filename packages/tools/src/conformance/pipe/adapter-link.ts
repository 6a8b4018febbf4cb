import { MillraceError } from 'millrace'
import type { Answer, Task } from '../implementation.ts'
import { type AdapterProcess, startAdapter } from './adapter-process.ts'
import { cut } from './cut.ts'
import { decodeAnswer, decodeHello, encodeTask, type Hello } from './messages.ts'

/** The bounds of an adapter. */
export interface LinkOptions {
  /** How long an adapter may take to say hello. */
  readonly startLimitMs?: number
  /** How long it may be silent while an answer is awaited. */
  readonly timeLimitMs?: number
  readonly maxLineChars?: number
  /** How long it is waited for after each way of asking it to end. */
  readonly graceMs?: number
  /** Ends it at once; what is asked of it is answered with that. */
  readonly signal?: AbortSignal
}

/** One life of an adapter, from its hello to its end. */
export interface AdapterLink {
  readonly hello: Hello
  /** Whether it is gone, and whoever asked was told why. */
  readonly isLost: boolean
  /** Asks for an answer; whatever goes wrong is one too. */
  ask(task: Task): Promise<Answer>
  /** Ends it, and says what went wrong since the last answer. */
  close(): Promise<string | undefined>
}

/** Starts an adapter and waits for its hello; one that does not say it is ended. */
export async function openLink(
  command: readonly string[],
  options: LinkOptions = {},
): Promise<AdapterLink> {
  const link = new Link(command, options)
  const hello = await link.greeted
  return {
    hello,
    get isLost() {
      return link.isLost
    },
    ask: (task) => link.ask(task),
    close: () => link.close(),
  }
}

const forPeople = 'What is for people belongs on stderr'

class Link {
  readonly greeted: Promise<Hello>
  readonly #startLimitMs: number
  readonly #timeLimitMs: number
  readonly #adapter: AdapterProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #settleHello: { resolve(hello: Hello): void; reject(error: Error): void } | undefined
  #lost: string | undefined
  #isTold = false
  #ended: Promise<void> | undefined
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #sending = Promise.resolve()
  #count = 0
  /** Aborted when nothing more is heard of it. */
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
    return this.#isTold
  }

  ask(task: Task): Promise<Answer> {
    if (this.#lost !== undefined) {
      this.#isTold = true
      return Promise.resolve({ error: this.#lost, isLost: true })
    }
    const id = ++this.#count
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    if (this.#waiting.size === 1) this.#awaitMore()
    // One line after the other, each made when there is room for it.
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
    return this.#isTold ? undefined : this.#lost
  }

  /** Once it has failed, nothing that it says counts. */
  #lose(why: string): void {
    if (this.#lost !== undefined) return
    this.#lost = `the adapter ${why}`
    clearTimeout(this.#timer)
    this.#over.abort()
    this.#ended = this.#adapter.end('now')
    this.#isTold = this.#waiting.size > 0
    for (const answer of this.#waiting.values()) answer({ error: this.#lost, isLost: true })
    this.#waiting.clear()
    const failure = new MillraceError('connection_lost', `The adapter ${why}.`)
    void this.#ended.then(() => this.#settleHello?.reject(failure))
  }

  /** Silence has a limit while something is awaited. */
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
    if (settle === undefined) throw new Error(`no answer to a task ${id} is awaited`)
    this.#waiting.delete(id)
    settle(answer)
  }
}
