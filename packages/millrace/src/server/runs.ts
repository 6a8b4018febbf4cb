import type { FrontendResult } from '../agent/index.ts'
import { answer } from './answer.ts'
import { ask } from './ask.ts'
import type { Question } from './asked-session.ts'
import { createKeyedLock } from './keyed-lock.ts'
import type { Run } from './run.ts'
import { closing, type Reading, type RunContext, type RunsOptions } from './run-context.ts'

/** The runs of a server, one at a time for each session. */
export interface Runs {
  /** Starts a run with a question. */
  ask(question: Question): Promise<Reading>
  /** Takes results of calls that wait, and goes on when there are all. */
  answer(session: string, results: readonly FrontendResult[]): Promise<Reading>
  active(session: string): Run | undefined
  /** Aborts what runs, and resolves when every end is stored. */
  close(): Promise<void>
}

/** Builds the runs of a server. */
export function createRuns(options: RunsOptions): Runs {
  const lock = createKeyedLock()
  const runs = new Map<string, Run>()
  let isClosing = false
  const context: RunContext = {
    ...options,
    runs,
    starting: new Set(),
    isClosing: () => isClosing,
  }

  return {
    ask: (question) => lock(question.session, () => ask(context, question)),

    answer: (session, results) => lock(session, () => answer(context, session, results)),

    active: (session) => runs.get(session),

    close: async () => {
      isClosing = true
      for (const run of runs.values()) run.abort(closing())
      await Promise.all(Array.from(runs.values(), ({ over }) => over))
    },
  }
}
