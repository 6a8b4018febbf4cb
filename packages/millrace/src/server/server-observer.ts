import type { Prompt, RunError, Usage } from '../events/index.ts'

/** A run that a server begins or carries on. */
export interface StartedRun {
  readonly session: string
  readonly agentType: string
  /** Which run of its session it is, counted from 1. */
  readonly run: number
  /** Whether another server had left it behind. */
  readonly isRecovered: boolean
  /** What was asked; absent where a run goes on. */
  readonly prompt?: Prompt
}

/** A run that a server has no more to do with. */
export interface EndedRun extends Omit<StartedRun, 'prompt'> {
  /** As told in its end; `handed_over` where it was left to another server, `lost` where its end could not be stored. */
  readonly stopReason: string
  readonly durationMs: number
  /** Both are of the whole run, its pauses included, where its end was told. */
  readonly steps?: number
  readonly usage?: Usage
  /** What the agent said last. */
  readonly answer?: string
  /** What its stream says went wrong, where it failed; the message may be the provider's. */
  readonly error?: RunError['error']
}

/** Lines of one session that were stored together. */
export interface AppendedLines {
  readonly session: string
  readonly lines: number
  readonly bytes: number
  readonly durationMs: number
}

/** A stream to a reader that is over. */
export interface ClosedReader {
  readonly session: string
  readonly durationMs: number
}

/** Sessions that a server has removed by itself. */
export interface RemovedSessions {
  readonly sessions: number
  /** By which bound of `keep`. */
  readonly reason: 'days' | 'sessions'
  readonly durationMs: number
}

/** What watches a server from outside, such as a log or counters. Nothing waits for it. */
export interface ServerObserver {
  runStarted?(run: StartedRun): void
  runEnded?(run: EndedRun): void
  readerOpened?(session: string): void
  readerClosed?(reader: ClosedReader): void
  appended?(append: AppendedLines): void
  sessionsRemoved?(removed: RemovedSessions): void
}

/** Makes one observer of several; what one of them throws reaches `onError`, and nobody else. */
export function joinObservers(
  observers: readonly ServerObserver[],
  onError: (error: unknown) => void,
): Required<ServerObserver> {
  const tell = (tellOne: (observer: ServerObserver) => void): void => {
    for (const observer of observers) {
      try {
        tellOne(observer)
      } catch (error) {
        onError(error)
      }
    }
  }
  return {
    runStarted: (run) => tell((observer) => observer.runStarted?.(run)),
    runEnded: (run) => tell((observer) => observer.runEnded?.(run)),
    readerOpened: (session) => tell((observer) => observer.readerOpened?.(session)),
    readerClosed: (reader) => tell((observer) => observer.readerClosed?.(reader)),
    appended: (append) => tell((observer) => observer.appended?.(append)),
    sessionsRemoved: (removed) => tell((observer) => observer.sessionsRemoved?.(removed)),
  }
}
