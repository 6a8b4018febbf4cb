import type { PauseAnswers } from '../agent/index.ts'
import type { Prompt } from '../events/index.ts'
import { answer } from './answer.ts'
import { ask } from './ask.ts'
import type { Question } from './asked-session.ts'
import { createKeyedLock } from './keyed-lock.ts'
import type { Run } from './run.ts'
import { stop } from './stop.ts'
import { createSessionTitles } from './session-titles.ts'
import { closing, type Reading, type RunContext, type RunsOptions } from './run-context.ts'

/** The runs of a server, one at a time for each session. */
export interface Runs {
  /** Starts a run with a question. */
  ask(question: Question): Promise<Reading>
  /** Takes answers to calls that wait, and goes on when there are all. */
  answer(session: string, answers: PauseAnswers): Promise<Reading>
  /** Stops what runs or waits there, or one agent of it; false if there is nothing to stop. */
  stop(session: string, agent?: string): Promise<boolean>
  /** Tells a run under way, or one agent of it, something new; false if there is none. */
  steer(session: string, prompt: Prompt, agent?: string): Promise<boolean>
  active(session: string): Run | undefined
  /** Aborts what runs, and resolves when every end is stored. */
  close(): Promise<void>
}

/** Builds the runs of a server. */
export function createRuns(options: RunsOptions): Runs {
  const lock = createKeyedLock()
  const runs = new Map<string, Run>()
  const { title, titleTimeoutMs, onError } = options
  const titles = createSessionTitles({ title, titleTimeoutMs, lock, onError })
  let isClosing = false
  const context: RunContext = {
    ...options,
    runs,
    starting: new Set(),
    titles,
    isClosing: () => isClosing,
  }

  return {
    ask: (question) => lock(question.session, () => ask(context, question)),

    answer: (session, answers) => lock(session, () => answer(context, session, answers)),

    stop: (session, agent) => lock(session, () => stop(context, session, agent)),

    steer: (session, prompt, agent) =>
      lock(session, async () => runs.get(session)?.control.steer(prompt, agent) ?? false),

    active: (session) => runs.get(session),

    close: async () => {
      isClosing = true
      for (const run of runs.values()) run.abort(closing())
      await Promise.all(Array.from(runs.values(), ({ over }) => over))
      titles.close()
    },
  }
}
