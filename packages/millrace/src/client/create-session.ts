import { decodeEnvelope } from '../envelope/index.ts'
import { isMillraceError, MillraceError } from '../errors/index.ts'
import { createSseDecoder, DONE_DATA } from '../sse/index.ts'
import type { SseEvent } from '../sse/index.ts'
import { createTranscript, endTranscript, reduceTranscript } from '../transcript/index.ts'
import { nextConnection, noConnection } from './connection-state.ts'
import type { ConnectionEvent, Trouble } from './connection-state.ts'
import { checkResponse, orLoss, toLoss } from './loss.ts'
import { isOffline, pause } from './network.ts'
import { encodeAnswers, noAnswers } from './outbox.ts'
import { toRetryDelay } from './retry-delay.ts'
import { createSessionId } from './session-id.ts'
import type { FetchFunction, Session, SessionOptions, SessionSnapshot } from './session.ts'

/** How often to look for a prompt whose request was lost before calling it unsent: it may still be on its way. */
const PROMPT_LOOKS = 3

/** Opens a conversation; nothing is sent before `run`, `answer` or `watch`. */
export function createSession(options: SessionOptions): Session {
  return new LiveSession(options)
}

/** A request to make: a POST when it has a body. */
interface Outgoing {
  readonly path: string
  readonly body?: object
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
    answers: noAnswers,
  }
  #loop = Promise.resolve()
  #looping = false
  #controller = new AbortController()
  /** Ends the delay before a retry. */
  #wake: (() => void) | undefined
  /** A prompt waits for its one request. */
  #prompting = false
  /** Answers wait for a request; earlier ones go with it, because the server takes the same one twice. */
  #answering = false
  /** The stream has more to tell than was read. */
  #reading = false
  /** Ahead of the snapshot's while a piece of the network is being read. */
  #transcript = this.#snapshot.transcript
  /** The next message is the first of a new run. */
  #starting = false
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
    if (this.#looping) {
      return quiet(Promise.reject(new MillraceError('conflict', 'A run is under way.')))
    }
    this.#prompting = true
    return this.#work({ prompt: { text, state: 'sending' } })
  }

  readonly answer: Session['answer'] = (toolUseId, content, { isError = false } = {}) => {
    const { answers } = this.#snapshot
    const answer = answers[toolUseId] ?? { content, isError }
    this.#answering = true
    return this.#work({ answers: { ...answers, [toolUseId]: answer } })
  }

  readonly watch = (): Promise<void> => {
    this.#reading = true
    return this.#work({})
  }

  readonly close = (): void => {
    this.#move('close')
    this.#controller.abort()
    this.#wake?.()
  }

  #work(change: Partial<SessionSnapshot>): Promise<void> {
    this.#publish(change)
    this.#wake?.()
    if (!this.#looping) {
      this.#looping = true
      this.#loop = quiet(this.#drive())
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
    const agent_uuid = this.id
    if (connection.state === 'closed') throw toLoss('The session was closed.')
    if (this.#prompting) {
      this.#prompting = false
      const body = { ...this.#options.runFields, agent_uuid, user_prompt: prompt?.text ?? '' }
      return { path: 'run', body }
    }
    if (this.#answering) {
      this.#answering = false
      return { path: 'tool_results', body: { agent_uuid, tool_results: encodeAnswers(answers) } }
    }
    if (!this.#reading) return undefined
    return { path: `${encodeURIComponent(agent_uuid)}/stream?cursor=${transcript.lastId}` }
  }

  async #exchange({ path, body }: Outgoing): Promise<void> {
    const { url, fetch = globalFetch, headers, idleTimeoutMs = 45_000 } = this.#options
    const controller = (this.#controller = new AbortController())
    let timer: ReturnType<typeof setTimeout> | undefined
    const stayAlive = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        controller.abort(`nothing came for ${idleTimeoutMs} ms`)
      }, idleTimeoutMs)
    }
    this.#reading = true // whatever becomes of the request, its stream is to be read to the end
    this.#starting = path === 'run'
    this.#ended = false
    this.#move('open')
    try {
      stayAlive()
      const request = fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        cache: 'no-store',
        headers: {
          accept: 'text/event-stream',
          ...(body && { 'content-type': 'application/json' }),
          ...(typeof headers === 'function' ? await headers() : headers),
        },
        signal: controller.signal,
      })
      const response = await orLoss(request)
      await checkResponse(response)
      this.#move('accept')
      const reader = response.body!.getReader()
      const decoder = createSseDecoder({ onEvent: this.#receive })
      while (!this.#ended) {
        stayAlive()
        const { value } = await orLoss(reader.read())
        if (!value) throw toLoss('The stream broke off.')
        try {
          decoder.feed(value)
        } finally {
          this.#settle()
        }
      }
      void quiet(reader.read()) // a body read to its close is not an aborted one
    } finally {
      clearTimeout(timer)
      if (!this.#ended) controller.abort()
    }
    if (this.#snapshot.prompt?.state === 'sending') {
      throw new MillraceError('not_found', 'Nothing new.')
    }
    this.#reading = false
    this.#move('end')
  }

  readonly #receive = ({ id: position, data }: SseEvent): void => {
    if (this.#ended) return
    const { onFrame, now = Date.now } = this.#options
    const id = position ? Number(position) : undefined
    onFrame?.({ id, data, bytes: new TextEncoder().encode(data).length, time: now() })
    if (this.#starting && id !== undefined && id <= this.#transcript.lastId) {
      this.#transcript = createTranscript() // a log that began anew, as when a server lost its store
    }
    this.#starting = false
    this.#ended = data === DONE_DATA
    this.#transcript = this.#ended
      ? endTranscript(this.#transcript, 'done')
      : reduceTranscript(this.#transcript, decodeEnvelope(data), id)
    const { lastId } = this.#transcript
    if (id !== undefined && id > lastId) throw toLoss(`Messages after ${lastId} are missing.`)
  }

  /** Shows what a piece of the network has brought. */
  #settle(): void {
    const { transcript: before, connection, prompt, answers } = this.#snapshot
    const transcript = this.#transcript
    if (transcript === before) return
    const { lastId, pending } = transcript
    const isNew = lastId === 0 || lastId !== before.lastId // foreign streams have no ids
    if (isNew && connection.attempt > 0) this.#move('prove')
    this.#publish({
      transcript,
      prompt: isNew ? undefined : prompt,
      answers: pending.length > 0 ? answers : noAnswers,
    })
  }

  /** Waits before the next try if the connection was lost, and gives up if the server said no. */
  async #recover({ path, body }: Outgoing, thrown: unknown): Promise<void> {
    const { connection, prompt } = this.#snapshot
    if (connection.state === 'closed') return
    let error = isMillraceError(thrown) ? thrown : toFailure(thrown)
    // The request with the prompt was lost, and this one was to find out what became of it.
    const isLook = !body && prompt?.state === 'sending' && error.code === 'not_found'
    const isLost = isLook ? connection.attempt < PROMPT_LOOKS : error.code === 'connection_lost'
    if (isLost) {
      this.#answering ||= path === 'tool_results' && connection.state === 'connecting'
      return this.#pause(error)
    }
    if (isLook) error = toUnsent(error)
    this.#reading = false
    this.#publish({ prompt: prompt && { ...prompt, state: 'unsent' }, answers: noAnswers })
    this.#move('refuse', { error })
    throw error
  }

  async #pause(error: MillraceError): Promise<void> {
    const { now = Date.now } = this.#options
    const chosenMs = toRetryDelay(this.#snapshot.connection.attempt, this.#options)
    const delayMs = Math.max(chosenMs, Number(error.details['retryAfterMs'] ?? 0))
    this.#move(isOffline() ? 'drop' : 'cut', { error, retryAt: now() + delayMs })
    await pause(delayMs, (wake) => (this.#wake = wake))
  }

  #move(event: ConnectionEvent, trouble?: Trouble): void {
    this.#publish({ connection: nextConnection(this.#snapshot.connection, event, trouble) })
  }

  #publish(change: Partial<SessionSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const listener of this.#listeners) listener()
  }
}

const globalFetch: FetchFunction = (url, init) => fetch(url, init)

/** A promise that nobody need wait for: the snapshot tells the same. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function toFailure(cause: unknown): MillraceError {
  return new MillraceError('internal', String(cause), { cause })
}

function toUnsent(cause: unknown): MillraceError {
  return new MillraceError(
    'prompt_unsent',
    'Your message did not reach the server, and was not sent again.',
    { cause },
  )
}
