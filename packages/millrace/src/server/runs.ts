import type { PauseAnswers } from '../agent/index.ts'
import { isMillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import type { SessionInfo, StoredFile } from '../store/index.ts'
import { answer } from './acts/answer.ts'
import { ask } from './acts/ask.ts'
import type { Question } from './acts/asked-session.ts'
import { createKeyedLock, type KeyedLock } from './keyed-lock.ts'
import type { Run } from './run.ts'
import type { Goal } from './goal.ts'
import { createRecovery } from './recovery/recovery.ts'
import { createRemoteGoals } from './remote-goals.ts'
import { attendLater } from './acts/attend.ts'
import { carryOnCommand } from './acts/run-command.ts'
import { untilRemoved } from './acts/remove.ts'
import { rename, untilShown } from './acts/rename.ts'
import { steer } from './acts/steer.ts'
import { untilStopped } from './acts/stop.ts'
import { countBytes, sizeOf, upload } from './acts/upload.ts'
import type { SentFile } from './files/take-files.ts'
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
  /** Gives a session another title, which no title takes the place of that comes by itself. */
  rename(session: string, title: string): Promise<void>
  /** Removes a session with all that belongs to it, after its run has stopped. */
  remove(session: string): Promise<void>
  /** Keeps files for a session, which is created if there is none; a run under way there goes on. */
  upload(session: string, files: readonly SentFile[]): Promise<readonly StoredFile[]>
  active(session: string): Run | undefined
  /** How many are under way. */
  count(): number
  /** Carries on the run of a session now, if whoever had it is gone and lost runs are looked for. */
  revive(session: string): Promise<void>
  /** Whether somebody carries on the run of a session, or will as soon as it is found. */
  isCarriedOn(info: SessionInfo): boolean
  /** The goal of those who read a run that another server carries on. */
  remote(log: Pick<SessionInfo, 'session' | 'log'>): Goal
  /** Carries on runs that nobody does, now and from time to time; resolves with the sessions found now. */
  recover(): Promise<readonly string[]>
  /** Hands runs over to whoever carries them on, or ends them where nobody can; resolves when that is stored. */
  close(): Promise<void>
}

/** Builds the runs of a server. */
export function createRuns(options: RunsOptions): Runs {
  const lock = createKeyedLock()
  const runs = new Map<string, Run>()
  const { title, titleTimeoutMs, isGone, onRecovered, onError } = options
  const closed = new AbortController()
  const context: RunContext = {
    ...options,
    runs,
    starting: new Set(),
    leaving: new Set(),
    titles: createSessionTitles({ title, titleTimeoutMs, lock, onError }),
    remote: createRemoteGoals(options.store, closed.signal),
    isClosing: () => closed.signal.aborted,
    closed: closed.signal,
    attend: (session, ended) => void attendLater(context, inTurn, session, ended),
  }

  const recovery = createRecovery({ context, lock, isGone, onRecovered })
  const unsubscribe = options.store.onCommand((session, command) => {
    if (command === carryOnCommand) void recovery.take(session)
    else context.attend(session)
  })

  /**
   * What is done to a session finds its run going on, not lost between two servers, also where lost runs are not
   * looked for: another question must not begin before the end of that run is told.
   */
  const inTurn = <Result>(session: string, act: () => Promise<Result>): Promise<Result> =>
    lock(session, () =>
      afterOthers(async () => {
        await recovery.revive(session)
        return act()
      }),
    )

  return {
    ...createActs(context, { lock, inTurn }),

    active: (session) => runs.get(session),

    count: () => runs.size,

    revive: async (session) => {
      // Those who read need not wait for those who write, unless something may be lost.
      if (!recovery.isOn() || runs.has(session)) return
      await lock(session, () => afterOthers(() => recovery.revive(session)))
    },

    isCarriedOn: recovery.isCarriedOn,

    remote: context.remote,

    recover: recovery.sweep,

    close: async () => {
      closed.abort()
      recovery.stop()
      unsubscribe()
      for (const run of runs.values()) {
        if (options.store.isDurable) run.handOver()
        else run.abort(closing())
      }
      await Promise.all(context.leaving)
      context.titles.close()
    },
  }
}

/** How acts on a session come one after the other. */
interface Turns {
  readonly lock: KeyedLock
  /** Runs an act with the session's lock, after a run that was lost there is carried on. */
  readonly inTurn: <Result>(session: string, act: () => Promise<Result>) => Promise<Result>
}

type Acts = Pick<Runs, 'ask' | 'answer' | 'stop' | 'steer' | 'rename' | 'remove' | 'upload'>

/** Builds what is done to sessions on request. */
function createActs(context: RunContext, { lock, inTurn }: Turns): Acts {
  const stop: Runs['stop'] = (session, agent) => untilStopped(context, inTurn, session, agent)
  return {
    ask: (question) => inTurn(question.session, () => ask(context, question)),
    answer: (session, answers) => inTurn(session, () => answer(context, session, answers)),
    stop,
    steer: (session, prompt, agent) =>
      inTurn(session, () => steer(context, { session, prompt, agent })),
    rename: async (session, title) => {
      const isPassed = await inTurn(session, () => rename(context, session, title))
      if (isPassed) await untilShown(context, session, title)
    },
    remove: (session) =>
      untilRemoved(context, session, {
        // A run that was lost is not carried on to be stopped.
        inLock: (act) => lock(session, () => afterOthers(act)),
        stop: () => stop(session),
      }),
    upload: async (session, files) => {
      const kept = await upload(context, session, files)
      // The files are there: what fails now must not make their sender send them again.
      await inTurn(session, () => countBytes(context, session, sizeOf(files))).catch(
        (error: unknown) => context.onError(error, { session }),
      )
      return kept
    },
  }
}

/** How often something is tried while other servers are faster. */
const TRIES = 5

/** Tries again what another server was faster with, and so finds what that has done; nothing was stored before. */
async function afterOthers<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries === TRIES || !isMillraceError(error) || error.code !== 'lease_lost') throw error
    }
  }
}
