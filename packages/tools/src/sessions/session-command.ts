import type { Store } from 'millrace/server'
import type { Terminal } from '../cli/command.ts'
import type { SessionViews } from './session-views.ts'

/** The input of an action on sessions. */
export interface SessionTask {
  readonly store: Store
  readonly views: SessionViews
  readonly terminal: Terminal
  /** The given session, if the action needs one. */
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
  /** The id of an imported session. */
  readonly as: string | undefined
  readonly olderThanMs: number | undefined
}

/** An action of `millrace sessions`. */
export interface SessionCommand {
  readonly needsSession: boolean
  readonly createsStore?: boolean
  /** Runs the action; resolves with the exit code. */
  run(task: SessionTask): Promise<number>
}
