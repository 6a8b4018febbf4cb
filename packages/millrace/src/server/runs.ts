import type { PauseAnswers } from '../agent/index.ts'
import { isMillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import type { SessionInfo } from '../store/index.ts'
import { answer } from './acts/answer.ts'
import { ask } from './acts/ask.ts'
import type { Question } from './acts/asked-session.ts'
import { createKeyedLock } from './keyed-lock.ts'
import { fromStore } from './from-store.ts'
import type { Run } from './run.ts'
import type { Goal } from './goal.ts'
import { createRecovery } from './recovery/recovery.ts'
import { createRemoteGoals } from './remote-goals.ts'
import { attendLater } from './acts/attend.ts'
import { carryOnCommand } from './acts/run-command.ts'
import { provide } from './acts/provide.ts'
import { withdraw } from './acts/queue.ts'
import { decodeReceipt, type MessageKey, readOutcome } from './acts/receipts.ts'
import { steer } from './acts/steer.ts'
import { untilStopped } from './acts/stop.ts'
import { createSessionTitles } from './session-titles.ts'
import { closing, type Reading, type RunContext, type RunsOptions } from './run-context.ts'

/** A question that was asked before: the number of its run, and what to read of it. */
export interface FoundQuestion {
  readonly run: number
  readonly reading: Reading
}

/** The runs of a server, one at a time for each session. */
export interface Runs {
  /** Starts a run with a question. */
  ask(question: Question): Promise<Reading>
  /** Takes answers to calls that wait, and goes on when there are all. */
  answer(session: string, answers: PauseAnswers, key?: MessageKey): Promise<Reading>
  /** Stops what runs or waits there, or one agent of it; false if there is nothing to stop. */
  stop(session: string, agent?: string, key?: MessageKey): Promise<boolean>
  /** Tells a run under way, or one agent of it, something new; false if there is none. */
  steer(session: string, prompt: Prompt, agent?: string, key?: MessageKey): Promise<boolean>
  /** Takes a prompt out of the queue of a session before it begins. */
  withdraw(session: string, messageId: string): Promise<void>
  /** What the question with a key has led to; undefined if there is none, or it has not begun. */
  find(info: SessionInfo, key: string): Promise<FoundQuestion | undefined>
  /** Begins what waits in a session in which nothing runs. */
  attend(session: string): Promise<void>
  /** Makes a session if there is none, without ending the right of anybody to write it. */
  provide(session: string): Promise<void>
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
    ...createActs(context, inTurn),

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

/** What clients do to a session, each when those before it are done. */
type Acts = 'ask' | 'answer' | 'stop' | 'steer' | 'withdraw' | 'attend' | 'find' | 'provide'

function createActs(
  context: RunContext,
  inTurn: <Result>(session: string, act: () => Promise<Result>) => Promise<Result>,
): Pick<Runs, Acts> {
  const { store } = context
  return {
    ask: (question) => inTurn(question.session, () => ask(context, question)),
    answer: (session, answers, key) =>
      inTurn(session, () => answer(context, session, answers, key)),
    stop: (session, agent, key) => untilStopped(context, inTurn, session, { agent, key }),
    steer: (session, prompt, agent, key) =>
      inTurn(session, () => steer(context, { session, prompt, agent, key })),
    withdraw: (session, messageId) => withdraw(context, session, messageId),
    attend: (session) => attendLater(context, inTurn, session),
    provide: (session) => provide(store, session),
    find: async (info, key) => {
      const command = await fromStore(store.command(info.session, key, info.log))
      const receipt = command && decodeReceipt(command)
      if (receipt?.run === undefined) return undefined
      return { run: receipt.run, reading: await readOutcome(context, info.session, receipt) }
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
