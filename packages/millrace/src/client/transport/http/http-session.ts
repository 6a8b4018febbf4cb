import { MillraceError } from '../../../errors/index.ts'
import { createTranscript, type Transcript } from '../../transcript/index.ts'
import type { Connection, ConnectionState } from './connection-state.ts'
import { checkResponse, throwLoss } from './loss.ts'
import { type Answers, noAnswers, toResults } from './outbox.ts'
import { readAnswer } from './read-answer.ts'
import { toRetryDelay } from './retry-delay.ts'
import { send } from './send.ts'
import { createSessionId } from '../../session-id.ts'
import type { Session, SessionOptions, SessionSnapshot } from '../../session.ts'
import { toSetback, toUnsent } from './setback.ts'

/**
 * What is wanted: a prompt sent, answers sent, a stream read to its end. Earlier answers go with new ones, because
 * the server takes the same one twice.
 */
type Want = 'run' | 'tool_results' | 'stream'

/** What a browser has and other places may not. */
const platform: Partial<Pick<typeof globalThis, 'addEventListener'>> & {
  readonly navigator?: Partial<Navigator>
} = globalThis

/**
 * A session over HTTP: turns what is wanted into requests, one at a time, until nothing is wanted any more.
 * docs/client.md has its states.
 */
export class HttpSession implements Session {
  declare readonly id: string
  declare readonly options: SessionOptions
  readonly #listeners = new Set<() => Promise<void>>()
  #snapshot: SessionSnapshot = {
    transcript: createTranscript(),
    connection: { state: 'idle', attempt: 0 },
    prompt: undefined,
    answers: noAnswers,
  }
  #want: Want | undefined
  /** The log that was read, as the server calls it. */
  #log: string | null | undefined
  #loop: Promise<void> | undefined
  #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake = (): void => {}

  constructor(options: SessionOptions) {
    this.id = options.session ?? createSessionId()
    this.options = options
  }

  subscribe = (listener: () => void): (() => void) => {
    // What it throws is no business of the run: it is told as a rejection that nobody handles.
    const tell = async (): Promise<void> => listener()
    this.#listeners.add(tell)
    return () => this.#listeners.delete(tell)
  }

  getSnapshot = (): SessionSnapshot => this.#snapshot

  run = (text: string): Promise<void> =>
    this.#start('run', { prompt: { text, messageId: createSessionId(), state: 'sending' } })

  answer = (
    toolUseId: string,
    content: string,
    options?: { readonly isError?: boolean },
  ): Promise<void> => {
    const { answers } = this.#snapshot
    // The first answer counts.
    return this.#start('tool_results', {
      answers: { ...answers, [toolUseId]: { content, isError: !!options?.isError }, ...answers },
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
    for (const tell of this.#listeners) void tell()
  }

  /** Changes the state of the connection; the count of losses stays unless it is told. */
  #move(state: ConnectionState, change?: Partial<Connection>): void {
    const { connection } = this.#snapshot
    // Nothing leads out of closed, whatever was still under way.
    if (connection.state === 'closed') return
    this.#publish({ connection: { state, attempt: connection.attempt, ...change } })
  }

  /** Publishes a change and starts the loop, or ends its wait for the next try; settles with the loop. */
  #start(want: Want, change?: Partial<SessionSnapshot>): Promise<void> {
    const settled = this.#begin(want, change)
    settled.catch(() => {}) // nobody need wait for it: the snapshot tells the same
    return settled
  }

  async #begin(want: Want, change?: Partial<SessionSnapshot>): Promise<void> {
    if (this.#snapshot.connection.state === 'closed' || (want === 'run' && this.#want)) {
      throw new MillraceError('conflict', 'Running or closed.')
    }
    if (this.#want !== 'tool_results') this.#want = want
    if (this.#snapshot.connection.state === 'replaced') {
      this.#log = undefined
      change = { ...change, transcript: createTranscript() }
    }
    this.#snapshot = { ...this.#snapshot, ...change }
    this.#wake()
    // A new loop tells of the change itself, with its first state: nobody is to see a prompt sent and the session idle.
    if (this.#loop) this.#publish()
    return (this.#loop ??= this.#serve())
  }

  /** The network is back, or someone turns to the page. */
  #look = ({ type, target }: Event): void => {
    // What was open when the network went may never tell that it is dead; a request on its way is left alone.
    if (type === 'online' && this.#snapshot.connection.state === 'streaming')
      this.#controller.abort()
    // Also a page that is being hidden tells so.
    if (!(target as Partial<Document>).hidden) this.#wake()
  }

  async #serve(): Promise<void> {
    const over = new AbortController()
    for (const type of ['online', 'visibilitychange']) {
      platform.addEventListener?.(type, this.#look, over) // its `signal` takes the listener away
    }
    try {
      while (this.#want) {
        const want = this.#want
        this.#want = 'stream' // whatever becomes of the request, its stream is to be read to the end
        try {
          const { lastId } = this.#snapshot.transcript
          await this.#exchange(want)
          const { transcript } = this.#snapshot
          // The run of a prompt that waits follows, unless the run waits for someone.
          const isMore =
            transcript.queue.length > 0 &&
            transcript.status !== 'awaiting_tools' &&
            transcript.lastId !== lastId
          if (this.#want === 'stream' && !isMore) this.#want = undefined
        } catch (thrown) {
          await this.#recover(want, thrown)
        }
      }
    } finally {
      this.#want = this.#loop = undefined
      over.abort()
    }
    this.#move('idle', { attempt: 0 }) // after the loop, so that who hears of it may ask at once
  }

  /** Makes the request that is wanted and reads its answer to the end; silence for too long aborts it. */
  async #exchange(want: Want): Promise<void> {
    const unlessSilent = <T>(network: Promise<T>): Promise<T> => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(
        () => this.#controller.abort('silence'),
        this.options.idleTimeoutMs ?? 45_000,
      )
      return network.catch(throwLoss)
    }
    this.#move('connecting')
    try {
      const { prompt, answers, transcript } = this.#snapshot
      const body =
        want === 'run'
          ? { ...this.options.runFields, user_prompt: prompt?.text, message_id: prompt?.messageId }
          : // Without any, as when another tab was faster, there is nothing to send.
            want !== 'stream' && answers !== noAnswers && toResults(answers)
      const response = await unlessSilent(
        send(
          this,
          (body ? want : `${this.id}/stream?cursor=${transcript.lastId}`) +
            (this.#log ? `${body ? '?' : '&'}log=${this.#log}` : ''),
          body,
          this.#controller,
        ),
      )
      await checkResponse(response)
      this.#log = response.headers.get('millrace-log') ?? this.#log
      const fork = response.headers.get('millrace-forked-after')
      this.#move('streaming')
      const reader = response.body!.getReader()
      const take = readAnswer(
        want === 'run',
        fork ? { ...transcript, forkedAfter: +fork } : transcript,
        this.options,
      )
      for (let isEnded; !isEnded;) {
        const { value } = await unlessSilent(reader.read())
        if (!value) throwLoss('cut off')
        isEnded = take(value, this.#show)
      }
      reader.read().catch(() => {}) // a body read to its close is not an aborted one
    } finally {
      clearTimeout(this.#timer)
    }
    if (this.#snapshot.prompt?.state === 'sending') throw toUnsent()
  }

  #show = (transcript: Transcript): void => {
    const { transcript: before, connection, prompt, answers } = this.#snapshot
    if (transcript === before) return
    const isNew = !transcript.lastId || transcript.lastId !== before.lastId // foreign streams have no ids
    const run = transcript.agents.at(0)?.runs.at(-1) // may be another tab's, or its prompt hidden
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

  /** Waits before the next try if the connection was lost, and gives up if the server said no. */
  async #recover(want: Want, thrown: unknown): Promise<void> {
    this.#controller.abort()
    this.#controller = new AbortController()
    const {
      connection: { state, attempt },
      prompt,
    } = this.#snapshot
    const error = toSetback(thrown, want === 'stream' && prompt?.state === 'sending')
    if (state === 'closed') throw error
    // A prompt may still be on its way, so look three times before calling it unsent.
    const isFinal = error.code === 'prompt_unsent' ? attempt > 2 : error.code !== 'connection_lost'
    if (isFinal) this.#fail(error)
    // A prompt that is not in the log is sent again: by its key the server knows one that is still on its way.
    if (error.code === 'prompt_unsent') this.#want = 'run'
    // The server takes the same answers twice, and what it turned away because of a limit it has not taken.
    if (state === 'connecting' && (want === 'tool_results' || error.details['status'] === 429)) {
      if (this.#want !== 'tool_results') this.#want = want // answers given meanwhile are still to be sent
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
      this.#timer = setTimeout(wake, delayMs) // the next exchange clears it, if it was woken before
    })
  }

  /** Gives up: a run that cannot be followed any further is shown as failed, and its blocks stay to be read on later. */
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
