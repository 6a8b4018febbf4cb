import type { Prompt, RunFailure, Usage } from '../events/index.ts'

/** A run that this server starts or recovers. */
export interface StartedRun {
  readonly session: string
  readonly agentType: string
  /** The number of the run in its session, from 1. */
  readonly run: number
  /** Whether the run was recovered from another server. */
  readonly isRecovered: boolean
  /** The prompt; absent if the run resumes. */
  readonly prompt?: Prompt
}

/** A run that ended on this server. */
export interface EndedRun extends Omit<StartedRun, 'prompt'> {
  /** The stop reason; `handed_over` if another server continues it, `lost` if its end could not be stored. */
  readonly stopReason: string
  readonly durationMs: number
  /** Totals of the whole run, including the time before pauses, if its end was recorded. */
  readonly steps?: number
  readonly usage?: Usage
  /** The final answer of the agent. */
  readonly answer?: string
  /** The error of a failed run; its message may come from the provider. */
  readonly error?: RunFailure
}

/** Lines of one session stored in one append. */
export interface AppendedLines {
  readonly session: string
  readonly lines: number
  readonly bytes: number
  readonly durationMs: number
}

/** A closed stream. */
export interface ClosedReader {
  readonly session: string
  readonly durationMs: number
}

/** Sessions removed by retention. */
export interface RemovedSessions {
  readonly sessions: number
  /** The bound of `keep` that removed them. */
  readonly reason: 'days' | 'sessions'
  readonly durationMs: number
}

/** A log trimmed by retention. */
export interface TrimmedLog {
  readonly session: string
  /** The first frame that is kept. */
  readonly earliest: number
}

/** An observer of a server, such as a log or metrics. The server does not wait for it. */
export interface ServerObserver {
  runStarted?(run: StartedRun): void
  runEnded?(run: EndedRun): void
  readerOpened?(session: string): void
  readerClosed?(reader: ClosedReader): void
  appended?(append: AppendedLines): void
  /** Called for each page of sessions that `sessions` removes, and once for all that `days` removes at a time. */
  sessionsRemoved?(removed: RemovedSessions): void
  logTrimmed?(trimmed: TrimmedLog): void
}

/** Combines observers. Errors thrown by one of them only reach `onError`. */
export function joinObservers(
  observers: readonly ServerObserver[],
  onError: (error: unknown) => void,
): Required<ServerObserver> {
  const notify = (call: (observer: ServerObserver) => void): void => {
    for (const observer of observers) {
      try {
        call(observer)
      } catch (error) {
        onError(error)
      }
    }
  }
  return {
    runStarted: (run) => notify((observer) => observer.runStarted?.(run)),
    runEnded: (run) => notify((observer) => observer.runEnded?.(run)),
    readerOpened: (session) => notify((observer) => observer.readerOpened?.(session)),
    readerClosed: (reader) => notify((observer) => observer.readerClosed?.(reader)),
    appended: (append) => notify((observer) => observer.appended?.(append)),
    sessionsRemoved: (removed) => notify((observer) => observer.sessionsRemoved?.(removed)),
    logTrimmed: (trimmed) => notify((observer) => observer.logTrimmed?.(trimmed)),
  }
}
