import { decodeEnvelope } from '../envelope/index.ts'
import { isMillraceError, MillraceError } from '../errors/index.ts'
import { DONE_DATA } from '../sse/index.ts'
import type { SseEvent } from '../sse/index.ts'
import { createTranscript, endTranscript, reduceTranscript } from '../transcript/index.ts'
import { nextConnection, noConnection, provenConnection } from './connection-state.ts'
import type { ConnectionEvent, Trouble } from './connection-state.ts'
import { isLoss, retryAfterOf, toLoss } from './loss.ts'
import { isOffline, pause } from './network.ts'
import { openStream } from './open-stream.ts'
import type { FetchFunction } from './open-stream.ts'
import { encodeAnswers, moveAnswers, openAnswers } from './outbox.ts'
import { toRetryDelay } from './retry-delay.ts'
import { createSessionId } from './session-id.ts'
import type { Session, SessionOptions, SessionSnapshot } from './session.ts'

/** How often to look for a prompt whose request was lost before calling it unsent: it may still be on its way. */
const PROMPT_LOOKS = 3

const globalFetch: FetchFunction = (url, init) => fetch(url, init)
const encoder = new TextEncoder()

/** Opens a conversation; nothing is sent before `run`, `answer` or `watch`. */
export function createSession(options: SessionOptions): Session {
  return new LiveSession(options)
}

/** A request to make: a POST when it has a body. */
interface Outgoing {
  readonly path: string
  readonly body?: string
}

/**
 * What is wanted (a prompt sent, answers sent, a stream read to its end) stands in fields; one loop turns wants
 * into requests, one at a time, until none is left.
 */
class LiveSession implements Session {
  readonly id: string
  readonly #options: SessionOptions
  readonly #listeners = new Set<() => void>()
  #snapshot: SessionSnapshot = {
    transcript: createTranscript(),
    connection: noConnection,
    prompt: undefined,
    answers: {},
  }
  #loop = Promise.resolve()
  #looping = false
  readonly #controller = new AbortController()
  /** Ends the delay before a retry. */
  #wake: (() => void) | undefined
  /** A prompt waits for its one request. */
  #prompting = false
  /** The stream has more to tell than was read. */
  #reading = false
  /** Ahead of the snapshot's while a piece of the network is being read. */
  #transcript = this.#snapshot.transcript
  /** The piece brought messages that were not there before. */
  #fresh = false
  /** This stream left out a message, so that those after it were not taken in. [LOG-3] */
  #gapped = false
  /** `[DONE]` has come. */
  #ended = false

  constructor(options: SessionOptions) {
    this.id = options.session ?? createSessionId()
    this.#options = options
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getSnapshot = (): SessionSnapshot => this.#snapshot

  readonly run = (text: string): Promise<void> => {
    if (this.#looping) return rejected('A run is under way; wait until it has ended or paused.')
    this.#prompting = true
    return this.#work({ prompt: { text, state: 'sending' } })
  }

  readonly answer: Session['answer'] = (toolUseId, content, { isError = false } = {}) => {
    const { answers } = this.#snapshot
    if (answers[toolUseId]) return rejected(`The call ${toolUseId} has been answered.`)
    return this.#work({
      answers: { ...answers, [toolUseId]: { content, isError, state: 'queued' } },
    })
  }

  readonly watch = (): Promise<void> => {
    this.#reading = true
    return this.#work({})
  }

  readonly close = (): void => {
    this.#move('close')
    this.#controller.abort(toLoss('The session was closed.'))
    this.#wake?.()
  }

  #work(change: Partial<SessionSnapshot>): Promise<void> {
    this.#publish(change)
    this.#wake?.()
    if (!this.#looping) {
      this.#looping = true
      this.#loop = this.#drive()
      this.#loop.catch(() => {}) // the snapshot tells it to those who do not wait
    }
    return this.#loop
  }

  async #drive(): Promise<void> {
    try {
      for (let request = this.#next(); request; request = this.#next()) {
        try {
          await this.#exchange(request)
        } catch (thrown) {
          await this.#recover(request, thrown)
        }
      }
    } finally {
      this.#looping = false
    }
  }

  /** The most urgent want as a request, or undefined when nothing is wanted. */
  #next(): Outgoing | undefined {
    const { connection, prompt, answers, transcript } = this.#snapshot
    if (connection.state === 'closed') throw toLoss('The session was closed; create another.')
    if (this.#prompting) {
      this.#prompting = false
      const { runFields } = this.#options
      const body = { ...runFields, agent_uuid: this.id, user_prompt: prompt!.text }
      return { path: 'run', body: JSON.stringify(body) }
    }
    const body = encodeAnswers(this.id, answers)
    if (body) {
      this.#publish({ answers: moveAnswers(answers, 'queued', 'sending') })
      return { path: 'tool_results', body }
    }
    if (!this.#reading) return undefined
    return { path: `${encodeURIComponent(this.id)}/stream?cursor=${transcript.lastId}` }
  }

  async #exchange({ path, body }: Outgoing): Promise<void> {
    const { url, headers, fetch = globalFetch, idleTimeoutMs = 45_000 } = this.#options
    this.#reading = true // whatever becomes of the request, its stream is to be read to the end
    this.#ended = this.#gapped = false
    this.#move('open')
    const init: RequestInit = {
      ...(body && { method: 'POST', body }),
      cache: 'no-store',
      headers: {
        accept: 'text/event-stream',
        ...(body && { 'content-type': 'application/json' }),
        ...(typeof headers === 'function' ? await headers() : headers),
      },
    }
    const stream = openStream({
      fetch,
      url: `${url.replace(/\/$/, '')}/agent/${path}`,
      init,
      idleTimeoutMs,
      signal: this.#controller.signal,
    })
    for await (const events of stream) {
      this.#accept()
      for (const event of events) this.#receive(event)
      this.#settle()
      if (this.#ended) return this.#finish()
    }
    throw new MillraceError('stream_truncated', 'The stream stopped before its end.')
  }

  #accept(): void {
    if (this.#snapshot.connection.state !== 'connecting') return
    this.#publish({ answers: moveAnswers(this.#snapshot.answers, 'sending', 'sent') })
    this.#move('accept')
  }

  #receive({ id: position, data }: SseEvent): void {
    if (this.#ended) return
    const { onFrame, now = Date.now } = this.#options
    const id = position ? Number(position) : undefined
    onFrame?.({ id, data, bytes: encoder.encode(data).length, time: now() })
    const before = this.#transcript
    this.#ended = data === DONE_DATA
    this.#transcript = this.#ended
      ? endTranscript(before, 'done')
      : reduceTranscript(before, decodeEnvelope(data), id)
    this.#gapped ||= id !== undefined && id > this.#transcript.lastId
    this.#fresh ||= !this.#ended && (id === undefined || this.#transcript.lastId > before.lastId)
  }

  /** Shows what a piece of the network has brought. */
  #settle(): void {
    const { connection, prompt, answers } = this.#snapshot
    const transcript = this.#transcript
    const fresh = this.#fresh
    this.#fresh = false
    this.#publish({
      transcript,
      connection: fresh ? provenConnection(connection) : connection,
      prompt: fresh && prompt?.state === 'sending' ? undefined : prompt,
      answers: openAnswers(answers, transcript),
    })
    if (this.#gapped) {
      const { lastId } = transcript
      throw new MillraceError('stream_truncated', `The messages after ${lastId} are missing.`)
    }
  }

  #finish(): void {
    if (this.#snapshot.prompt?.state === 'sending') {
      throw new MillraceError('not_found', 'The server has nothing new.')
    }
    this.#reading = false
    this.#move('end')
  }

  /** Waits before the next try if the connection was lost, and gives up if the server said no. */
  async #recover({ body }: Outgoing, thrown: unknown): Promise<void> {
    const { connection, prompt, answers } = this.#snapshot
    let error = isMillraceError(thrown) ? thrown : toFailure(thrown)
    if (connection.state === 'closed') throw error
    if (!body && prompt?.state === 'sending' && error.code === 'not_found') {
      // The request with the prompt was lost, and this one was to find out what became of it.
      error = connection.attempt < PROMPT_LOOKS ? toLoss(error.message) : toUnsent(error)
    }
    const lost = isLoss(error)
    this.#publish({ answers: moveAnswers(answers, 'sending', lost ? 'queued' : undefined) })
    if (lost) return this.#pause(error)
    this.#reading = false
    if (prompt) this.#publish({ prompt: { ...prompt, state: 'unsent' } })
    this.#move('refuse', { error })
    throw error
  }

  async #pause(error: MillraceError): Promise<void> {
    const { retryDelayMs = 250, maxRetryDelayMs = 8_000 } = this.#options
    const { random = Math.random, now = Date.now } = this.#options
    const attempt = this.#snapshot.connection.attempt + 1
    const retryAfterMs = retryAfterOf(error)
    const delayMs = toRetryDelay({ attempt, retryDelayMs, maxRetryDelayMs, retryAfterMs, random })
    this.#move(isOffline() ? 'drop' : 'cut', { error, retryAt: now() + delayMs })
    await pause(delayMs, (wake) => (this.#wake = wake))
  }

  #move(event: ConnectionEvent, trouble?: Trouble): void {
    this.#publish({ connection: nextConnection(this.#snapshot.connection, event, trouble) })
  }

  #publish(change: Partial<SessionSnapshot>): void {
    const snapshot = { ...this.#snapshot, ...change }
    const keys = Object.keys(change) as (keyof SessionSnapshot)[]
    if (keys.every((key) => snapshot[key] === this.#snapshot[key])) return
    this.#snapshot = snapshot
    for (const listener of this.#listeners) listener()
  }
}

function toFailure(cause: unknown): MillraceError {
  return new MillraceError('internal', `Reading the stream failed: ${String(cause)}`, { cause })
}

function rejected(message: string): Promise<never> {
  const promise = Promise.reject<never>(new MillraceError('conflict', message))
  promise.catch(() => {})
  return promise
}

function toUnsent(cause: MillraceError): MillraceError {
  return new MillraceError(
    'prompt_unsent',
    'Your message did not reach the server. It was not sent again: send it once more if you still want to.',
    { cause },
  )
}
