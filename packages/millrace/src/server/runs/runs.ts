import type { PauseAnswers, Verdict } from '../../agent/port/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { SessionInfo, StoredFile } from '../../store/index.ts'
import { answer, type AnswerOptions, judge } from '../commands/answer.ts'
import { ask } from '../commands/ask.ts'
import type { Question } from '../commands/asked-session.ts'
import { createKeyedLock, type KeyedLock } from '../keyed-lock.ts'
import { fromStore } from '../map-store-errors.ts'
import type { Run } from './run.ts'
import type { Goal } from '../reading/completion.ts'
import { createRecovery } from '../recovery/recovery.ts'
import { createRemoteGoals } from '../reading/remote-completions.ts'
import { attendLater } from '../commands/attend.ts'
import { carryOnCommand } from '../commands/run-command.ts'
import { withdraw } from '../commands/queue.ts'
import { decodeReceipt, type MessageKey, readOutcome } from '../commands/receipts.ts'
import { untilRemoved } from '../commands/remove.ts'
import { rename, untilShown } from '../commands/rename.ts'
import { steer } from '../commands/steer.ts'
import { untilStopped } from '../commands/stop.ts'
import { countBytes, sizeOf, upload } from '../commands/upload.ts'
import type { SentFile } from '../files/take-files.ts'
import { createOwnerQuota } from '../sessions/owner-quota.ts'
import { createSessionTitles } from '../sessions/session-titles.ts'
import { createDeliveries } from '../webhooks/deliveries.ts'
import { closing, type Reading, type RunContext, type RunsOptions } from './run-services.ts'

/** A question that was asked before: the number of its run, and what to read of it. */
export interface FoundQuestion {
  readonly run: number
  readonly reading: Reading
}

/** The runs of a server, one at a time for each session. */
export interface Runs {
  /** Refuses to begin something for an owner whose sessions have all the bytes that they may have. */
  checkOwner(owner: string | null): Promise<void>
  /** Starts a run with a question. */
  ask(question: Question): Promise<Reading>
  /** Takes answers to calls that wait, and goes on when there are all. */
  answer(session: string, answers: PauseAnswers, options?: AnswerOptions): Promise<Reading>
  /** Compares answers with those that were taken before, one verdict for each; nothing takes effect. */
  judge(session: string, answers: readonly PauseAnswers[]): Promise<readonly Verdict[]>
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
  /** Gives a session another title, which no title takes the place of that comes by itself. */
  rename(session: string, title: string): Promise<void>
  /** Removes a session with all that belongs to it, after its run has stopped; `log_replaced` if it has another log than `log`. */
  remove(session: string, log?: string): Promise<void>
  /** Keeps files for a session, which is created for `owner` if there is none; a run under way there goes on. */
  upload(
    session: string,
    files: readonly SentFile[],
    owner: string | null,
  ): Promise<readonly StoredFile[]>
  active(session: string): Run | undefined
  /** How many are under way. */
  count(): number
  /** Carries on the run of a session for a reader, if the server that had it is gone. */
  revive(session: string): Promise<void>
  /** The same, where a failure is reported and not thrown. */
  tryRevive(session: string): Promise<void>
  /** Whether a server carries on the run of a session, or will as soon as it is found. */
  isCarriedOn(info: SessionInfo): boolean
  /** The goal of those who read a run that another server carries on. */
  remote(seen: Pick<SessionInfo, 'session' | 'log' | 'tail'>): Goal
  /** Carries on runs that nobody does, now and from time to time; resolves with the sessions found now. */
  recover(): Promise<readonly string[]>
  /** Begins to do so in the background, unless that is switched off. */
  start(): void
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
    attendedSoon: new Set(),
    leaving: new Set(),
    titles: createSessionTitles({ title, titleTimeoutMs, lock, onError }),
    deliveries: createDeliveries(options),
    ownerQuota: createOwnerQuota(options.store, options.maxOwnerBytes),
    remote: createRemoteGoals({ ...options, signal: closed.signal, recovery: () => recovery }),
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

    checkOwner: (owner) => context.ownerQuota.check(owner),

    find: (info, key) => findQuestion(context, info, key),

    judge: (session, answers) => judge(context, session, answers),

    active: (session) => runs.get(session),

    count: () => runs.size,

    revive: async (session) => {
      // Readers need not wait for the session's lock while its run is under way here.
      if (runs.has(session) || !recovery.isForReaders()) return
      await lock(session, () => afterOthers(() => recovery.revive(session)))
    },

    tryRevive: recovery.attempt,

    isCarriedOn: recovery.isCarriedOn,

    remote: context.remote,

    recover: recovery.sweep,

    start: recovery.start,

    close: async () => {
      closed.abort()
      recovery.stop()
      unsubscribe()
      await endRuns(context)
    },
  }
}

async function findQuestion(
  context: RunContext,
  { session, log }: SessionInfo,
  key: string,
): Promise<FoundQuestion | undefined> {
  const command = await fromStore(context.store.command(session, key, log))
  const receipt = command && decodeReceipt(command)
  if (receipt?.run === undefined) return undefined
  return { run: receipt.run, reading: await readOutcome(context, session, receipt) }
}

/** How acts on a session come one after the other. */
interface Turns {
  readonly lock: KeyedLock
  /** Runs an act with the session's lock, after a run that was lost there is carried on. */
  readonly inTurn: <Result>(session: string, act: () => Promise<Result>) => Promise<Result>
}

type Acts = Pick<
  Runs,
  'ask' | 'answer' | 'stop' | 'steer' | 'withdraw' | 'attend' | 'rename' | 'remove' | 'upload'
>

/** Creates what is done to sessions on request. */
function createActs(context: RunContext, { lock, inTurn }: Turns): Acts {
  const stop: Runs['stop'] = (session, agent, key) =>
    untilStopped(context, inTurn, session, { agent, key })
  return {
    ask: (question) => inTurn(question.session, () => ask(context, question)),
    answer: (session, answers, options) =>
      inTurn(session, () => answer(context, session, answers, options)),
    stop,
    steer: (session, prompt, agent, key) =>
      inTurn(session, () => steer(context, { session, prompt, agent, key })),
    withdraw: (session, messageId) => withdraw(context, session, messageId),
    attend: (session) => attendLater(context, inTurn, session),
    rename: async (session, title) => {
      const isPassed = await inTurn(session, () => rename(context, session, title))
      if (isPassed) await untilShown(context, session, title)
    },
    remove: (session, log) =>
      untilRemoved(context, session, {
        log,
        // A run that was lost is not carried on to be stopped.
        inLock: (act) => lock(session, () => afterOthers(act)),
        stop: () => stop(session),
      }),
    upload: async (session, files, owner) => {
      const kept = await upload(context, session, files, owner)
      // The files are there: what fails now must not make their sender send them again.
      await inTurn(session, () => countBytes(context, session, sizeOf(files))).catch(
        (error: unknown) => context.onError(error, { session }),
      )
      return kept
    },
  }
}

/** Hands runs over, or ends them, and waits until that is stored and told. */
async function endRuns({ store, runs, leaving, deliveries, titles }: RunContext): Promise<void> {
  for (const run of runs.values()) {
    if (store.isDurable) run.handOver()
    else run.abort(closing())
  }
  await Promise.all(leaving)
  await deliveries.close()
  titles.close()
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
