import type { Store } from 'millrace/server'
import type { Terminal } from '../cli/command.ts'
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
  readonly format: 'sse' | 'json' | 'archive'
  readonly out: string | undefined
  readonly force: boolean
  /** The id that an imported session is to have. */
  readonly as: string | undefined
  readonly olderThanMs: number | undefined
}

/** One of the things that `millrace sessions` does. */
export interface SessionCommand {
  readonly needsSession: boolean
  /** Whether the store is created if there is none. */
  readonly createsStore?: boolean
  /** Resolves with the exit code. */
  run(task: SessionTask): Promise<number>
}
