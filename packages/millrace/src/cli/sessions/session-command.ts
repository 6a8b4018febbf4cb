import type { Store } from '../../server/index.ts'
import type { Terminal } from '../command.ts'
import type { SessionViews } from './session-views.ts'

/** What is done with the store, and how. */
export interface SessionTask {
  readonly store: Store
  readonly views: SessionViews
  readonly terminal: Terminal
  /** The session that was named, where one must be. */
  readonly session: string
  readonly options: SessionOptions
}

/** The options of `millrace sessions`. */
export interface SessionOptions {
  readonly json: boolean
  readonly limit: number
  readonly offset: number
  readonly format: 'sse' | 'json'
  readonly out: string | undefined
  readonly force: boolean
  readonly olderThanMs: number | undefined
}

/** One of the things that `millrace sessions` does. */
export interface SessionCommand {
  readonly needsSession: boolean
  /** Resolves with the exit code. */
  run(task: SessionTask): Promise<number>
}
