import { MillraceError } from '../../../errors/index.ts'
import { createTranscript, type Transcript } from '../../transcript/index.ts'
import type {
  Connection,
  ConnectionState,
  Session,
  SessionOptions,
  SessionSnapshot,
  Answers,
} from '../../session.ts'
import { checkResponse, failConnection, toExchangeError, promptUnsent } from './check-response.ts'
import { createReadLog, readAnswer } from './read-answer.ts'
import { toRetryDelay, send } from './ask.ts'
import { createSessionId } from '../../session-id.ts'

const noAnswers: Answers = {}

const keys = new WeakMap<Answers, string>()

/** Converts answers to a request. The same answers again have the same key. */
function toResults(answers: Answers): object {
  const key = keys.get(answers) ?? createSessionId()
  keys.set(answers, key)
  return {
    message_id: key,
    tool_results: Object.entries(answers).map(([tool_use_id, { content, isError }]) => ({
      tool_use_id,
      content,
      is_error: isError,
    })),
  }
}

/**
 * The next request: send a prompt, send answers, or read a stream to its end. New answers are sent with earlier ones, because the server
 * accepts repetitions.
 */
type NextRequest = 'run' | 'tool_results' | 'stream'

/** APIs of a browser that other platforms may lack. */
const platform: Partial<Pick<typeof globalThis, 'addEventListener'>> & {
  readonly navigator?: Partial<Navigator>
} = globalThis

/** A session over HTTP. It sends one request at a time until none is needed. docs/client.md describes its states. */
class HttpSession implements Session {
  declare readonly id: string
  declare readonly options: SessionOptions
  // `createListeners` would add more bytes to a page than it saves here.
  readonly #listeners = new Set<() => Promise<void>>()
  #snapshot: SessionSnapshot = {
    transcript: createTranscript(),
    connection: { state: 'idle', attempt: 0 },
    prompt: undefined,
    answers: noAnswers,
  }
  #next: NextRequest | undefined
  #log = createReadLog()
  #loop: Promise<void> | undefined
  #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake = (): void => {}

  constructor(options: SessionOptions) {
    this.id = options.session ?? createSessionId()
    this.options = options
  }

  subscribe = (listener: () => void): (() => void) => {
    // An error of a listener must not affect the run, so it becomes an unhandled rejection.
    const notify = async (): Promise<void> => listener()
    this.#listeners.add(notify)
    return () => this.#listeners.delete(notify)
  }

  getSnapshot = (): SessionSnapshot => this.#snapshot

  run = (text: string): Promise<void> =>
    this.#start('run', { prompt: { text, messageId: createSessionId(), state: 'sending' } })

  answer = (
    callId: string,
    content: string,
    options?: { readonly isError?: boolean },
  ): Promise<void> => {
    const { answers } = this.#snapshot
    // The first answer counts.
    return this.#start('tool_results', {
      answers: { ...answers, [callId]: { content, isError: !!options?.isError }, ...answers },
    })
  }

  watch = (): Promise<void> => this.#start('stream')

  note = (answers: Answers): void => this.#publish({ answers })

  close = (): void => {
    this.#move('closed')
    this.#controller.abort()
    this.#wake()
  }

  #publish(change?: Partial<SessionSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const notify of this.#listeners) void notify()
  }

  /** Changes the state of the connection. The count of failures stays unless it is given. */
  #move(state: ConnectionState, change?: Partial<Connection>): void {
    const { connection } = this.#snapshot
    // A closed session stays closed.
    if (connection.state === 'closed') return
    this.#publish({ connection: { state, attempt: connection.attempt, ...change } })
  }

  /** Publishes a change and starts the loop, or ends its wait for the next retry. Settles with the loop. */
  #start(next: NextRequest, change?: Partial<SessionSnapshot>): Promise<void> {
    const settled = this.#begin(next, change)
    settled.catch(() => {}) // callers may ignore it: the snapshot has the same information
    return settled
  }

  async #begin(next: NextRequest, change?: Partial<SessionSnapshot>): Promise<void> {
    if (this.#snapshot.connection.state === 'closed' || (next === 'run' && this.#next)) {
      throw new MillraceError('conflict', 'Running or closed.')
    }
    if (this.#next !== 'tool_results') this.#next = next
    if (this.#snapshot.connection.state === 'replaced') {
      this.#log = createReadLog()
      change = { ...change, transcript: createTranscript() }
    }
    this.#snapshot = { ...this.#snapshot, ...change }
    this.#wake()
    // A new loop publishes the change with its first state, so that no snapshot has a sent prompt and an idle connection.
    if (this.#loop) this.#publish()
    return (this.#loop ??= this.#serve())
  }

  /** Handles a restored network and a visible page. */
  #look = ({ type, target }: Event): void => {
    // A stream that was open when the network failed may never report an error. A pending request is kept.
    if (type === 'online' && this.#snapshot.connection.state === 'streaming')
      this.#controller.abort()
    // The event also occurs when a page is hidden.
    if (!(target as Partial<Document>).hidden) this.#wake()
  }

  async #serve(): Promise<void> {
    const over = new AbortController()
    for (const type of ['online', 'visibilitychange']) {
      platform.addEventListener?.(type, this.#look, over) // its `signal` removes the listener
    }
    try {
      while (this.#next) {
        const next = this.#next
        this.#next = 'stream' // regardless of the result, the stream is read to its end
        try {
          const { lastId } = this.#snapshot.transcript
          await this.#exchange(next)
          const { transcript } = this.#snapshot
          // The run of a queued prompt follows, unless this run is paused.
          const isMore =
            transcript.queue.length > 0 &&
            transcript.status !== 'awaiting_tools' &&
            transcript.lastId !== lastId
          if (this.#next === 'stream' && !isMore) this.#next = undefined
        } catch (thrown) {
          await this.#recover(next, thrown)
        }
      }
    } finally {
      this.#next = this.#loop = undefined
      over.abort()
    }
    this.#move('idle', { attempt: 0 }) // after the loop, so that a listener can start the next one
  }

  /** Sends the next request and reads its response to the end. A long silence aborts it. */
  async #exchange(next: NextRequest): Promise<void> {
    const withIdleTimeout = <T>(network: Promise<T>): Promise<T> => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(
        () => this.#controller.abort('silence'),
        this.options.idleTimeoutMs ?? 45_000,
      )
      return network.catch(failConnection)
    }
    this.#move('connecting')
    try {
      const { prompt, answers, transcript } = this.#snapshot
      const body =
        next === 'run'
          ? { ...this.options.runFields, user_prompt: prompt?.text, message_id: prompt?.messageId }
          : // Without answers, as when another tab was faster, nothing is sent.
            next !== 'stream' && answers !== noAnswers && toResults(answers)
      const response = await withIdleTimeout(
        send(
          this,
          (body ? next : `${this.id}/stream?cursor=${transcript.lastId}`) +
            (this.#log.name ? `${body ? '?' : '&'}log=${this.#log.name}` : ''),
          body,
          this.#controller,
        ),
      )
      await checkResponse(response)
      this.#log.name = response.headers.get('millrace-log') ?? this.#log.name
      const fork = response.headers.get('millrace-forked-after')
      this.#move('streaming')
      const reader = response.body!.getReader()
      const take = readAnswer(
        next === 'run',
        fork ? { ...transcript, forkedAfter: +fork } : transcript,
        this.#log,
        this.options,
      )
      for (let isEnded; !isEnded;) {
        const { value } = await withIdleTimeout(reader.read())
        if (!value) failConnection('interrupted')
        isEnded = take(value, this.#show)
      }
      reader.read().catch(() => {}) // reads the close of the body, so that it does not count as aborted
    } finally {
      clearTimeout(this.#timer)
    }
    if (this.#snapshot.prompt?.state === 'sending') throw promptUnsent()
  }

  #show = (transcript: Transcript): void => {
    const { transcript: before, connection, prompt, answers } = this.#snapshot
    if (transcript === before) return
    const isNew = !transcript.lastId || transcript.lastId !== before.lastId // foreign streams have no ids
    const run = transcript.agents.at(0)?.runs.at(-1) // may be the run of another tab, or its prompt may be hidden
    const isMine = run?.messageId
      ? run.messageId === prompt?.messageId
      : !run?.prompt || run.prompt === prompt?.text
    this.#publish({
      transcript,
      connection: isNew && connection.attempt ? { ...connection, attempt: 0 } : connection,
      prompt: isNew && isMine ? undefined : prompt,
      answers: transcript.pending.length ? answers : noAnswers,
    })
  }

  /** Waits for the next retry after a connection failure; throws any other error. */
  async #recover(next: NextRequest, thrown: unknown): Promise<void> {
    this.#controller.abort()
    this.#controller = new AbortController()
    const {
      connection: { state, attempt },
      prompt,
    } = this.#snapshot
    const error = toExchangeError(thrown, next === 'stream' && prompt?.state === 'sending')
    if (state === 'closed') throw error
    // A prompt may still be in transit, so check three times before it counts as unsent.
    const isFinal = error.code === 'prompt_unsent' ? attempt > 2 : error.code !== 'connection_lost'
    if (isFinal) this.#fail(error)
    // A prompt that is not in the log is sent again. Its key prevents a second run.
    if (error.code === 'prompt_unsent') this.#next = 'run'
    // The server accepts repeated answers, and has not accepted a request that it refused because of a limit.
    if (state === 'connecting' && (next === 'tool_results' || error.details['status'] === 429)) {
      if (this.#next !== 'tool_results') this.#next = next // keeps answers that were given meanwhile
    }
    const isOffline = platform.navigator?.onLine === false
    const delayMs =
      toRetryDelay(isOffline ? 9 : attempt, this.options) +
      ((error.details['retryAfterMs'] as number) || 0)
    this.#move(isOffline ? 'offline' : 'waiting', {
      attempt: attempt + Number(!isOffline),
      error,
      retryAt: (this.options.now ?? Date.now)() + delayMs,
    })
    await new Promise<void>((wake) => {
      this.#wake = wake
      this.#timer = setTimeout(wake, delayMs) // the next exchange clears it after an early wake
    })
  }

  /** Throws a final error. A run that cannot be followed is shown as failed; its blocks stay for later reads. */
  #fail(error: MillraceError): never {
    const { transcript, prompt } = this.#snapshot
    const { code, message } = error
    const isCut = transcript.status === 'streaming'
    this.#publish({
      transcript: isCut
        ? { ...transcript, status: 'error', error: { type: code, code, message, retriable: false } }
        : transcript,
      prompt: prompt && { ...prompt, state: 'unsent' },
      answers: noAnswers,
    })
    this.#move(code === 'log_replaced' ? 'replaced' : 'failed', { error })
    throw error
  }
}

/** Creates a session. It sends nothing before `run`, `answer` or `watch`. */
export function createSession(options: SessionOptions): Session {
  return new HttpSession(options)
}
