import type { PauseAnswers, Verdict } from '../../agent/port/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { SessionInfo, StoredFile } from '../../stores/port/index.ts'
import { answer, type AnswerOptions, judge } from '../commands/answer.ts'
import { ask } from '../commands/ask.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import { createKeyedLock, type KeyedLock } from '../keyed-lock.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { Run } from './run.ts'
import type { Completion } from '../reading/completion.ts'
import { createRecovery } from '../recovery/recovery.ts'
import { createRemoteCompletions } from '../reading/remote-completions.ts'
import { attendLater } from '../commands/attend.ts'
import { carryOnCommand } from '../commands/run-command.ts'
import { withdraw } from '../commands/queue.ts'
import { decodeReceipt, type MessageKey, readOutcome } from '../commands/receipts.ts'
import { untilRemoved } from '../commands/remove.ts'
import { rename, untilShown } from '../commands/rename.ts'
import { steer } from '../commands/steer.ts'
import { untilStopped } from '../commands/stop.ts'
import { countBytes, sizeOf, upload } from '../commands/upload.ts'
import type { SentFile } from '../files/check-files.ts'
import { createOwnerQuota } from '../sessions/owner-quota.ts'
import { createSessionTitles } from '../sessions/session-titles.ts'
import { createDeliveries } from '../webhooks/deliveries.ts'
import { closing, type LogRange, type RunServices, type RunsOptions } from './run-services.ts'

/** A question that was asked before: the number of its run, and what to read of it. */
export interface FoundPrompt {
  readonly run: number
  readonly range: LogRange
}

/** The runs of a server, one at a time for each session. */
export interface Runs {
  /** Refuses to begin something for an owner whose sessions have all the bytes that they may have. */
  checkOwner(owner: string | null): Promise<void>
  /** Starts a run with a question. */
  ask(question: PromptRequest): Promise<LogRange>
  /** Takes answers to calls that wait, and goes on when there are all. */
  answer(session: string, answers: PauseAnswers, options?: AnswerOptions): Promise<LogRange>
  /** Compares answers with those that were taken before; nothing takes effect. */
  judge(session: string, answers: PauseAnswers): Promise<Verdict>
  /** Stops what runs or waits there, or one agent of it; false if there is nothing to stop. */
  stop(session: string, agent?: string, key?: MessageKey): Promise<boolean>
  /** Tells a run under way, or one agent of it, something new; false if there is none. */
  steer(session: string, prompt: Prompt, agent?: string, key?: MessageKey): Promise<boolean>
  /** Takes a prompt out of the queue of a session before it begins. */
  withdraw(session: string, messageId: string): Promise<void>
  /** What the question with a key has led to; undefined if there is none, or it has not begun. */
  find(info: SessionInfo, key: string): Promise<FoundPrompt | undefined>
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
  recoverIfLapsed(session: string): Promise<void>
  /** The same, where a failure is reported and not thrown. */
  tryRecover(session: string): Promise<void>
  /** Whether a server carries on the run of a session, or will as soon as it is found. */
  isCarriedOn(info: SessionInfo): boolean
  /** The completion of those who read a run that another server carries on. */
  remote(seen: Pick<SessionInfo, 'session' | 'log' | 'tail'>): Completion
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
  const services: RunServices = {
    ...options,
    runs,
    starting: new Set(),
    attendedSoon: new Set(),
    leaving: new Set(),
    titles: createSessionTitles({ title, titleTimeoutMs, lock, onError }),
    deliveries: createDeliveries(options),
    ownerQuota: createOwnerQuota(options.store, options.maxOwnerBytes),
    remote: createRemoteCompletions({
      ...options,
      signal: closed.signal,
      recovery: () => recovery,
    }),
    isClosing: () => closed.signal.aborted,
    closed: closed.signal,
    attend: (session, ended) => void attendLater(services, inTurn, session, ended),
  }

  const recovery = createRecovery({ services, lock, isGone, onRecovered })
  const unsubscribe = options.store.onCommand((session, command) => {
    if (command === carryOnCommand) void recovery.take(session)
    else services.attend(session)
  })

  /**
   * What is done to a session finds its run going on, not lost between two servers, also where lost runs are not
   * looked for: another question must not begin before the end of that run is told.
   */
  const inTurn = <Result>(session: string, task: () => Promise<Result>): Promise<Result> =>
    lock(session, () =>
      afterOthers(async () => {
        await recovery.recoverIfLapsed(session)
        return task()
      }),
    )

  return {
    ...createCommands(services, { lock, inTurn }),

    checkOwner: (owner) => services.ownerQuota.check(owner),

    find: (info, key) => findPrompt(services, info, key),

    judge: (session, answers) => judge(services, session, answers),

    active: (session) => runs.get(session),

    count: () => runs.size,

    recoverIfLapsed: async (session) => {
      // Readers need not wait for the session's lock while its run is under way here.
      if (runs.has(session) || !recovery.isForReaders()) return
      await lock(session, () => afterOthers(() => recovery.recoverIfLapsed(session)))
    },

    tryRecover: recovery.attempt,

    isCarriedOn: recovery.isCarriedOn,

    remote: services.remote,

    recover: recovery.sweep,

    start: recovery.start,

    close: async () => {
      closed.abort()
      recovery.stop()
      unsubscribe()
      await endRuns(services)
    },
  }
}

async function findPrompt(
  services: RunServices,
  { session, log }: SessionInfo,
  key: string,
): Promise<FoundPrompt | undefined> {
  const command = await mapStoreErrors(services.store.command(session, key, log))
  const receipt = command && decodeReceipt(command)
  if (receipt?.run === undefined) return undefined
  return { run: receipt.run, range: await readOutcome(services, session, receipt) }
}

/** How acts on a session come one after the other. */
interface Turns {
  readonly lock: KeyedLock
  /** Runs an act with the session's lock, after a run that was lost there is carried on. */
  readonly inTurn: <Result>(session: string, task: () => Promise<Result>) => Promise<Result>
}

type Commands = Pick<
  Runs,
  'ask' | 'answer' | 'stop' | 'steer' | 'withdraw' | 'attend' | 'rename' | 'remove' | 'upload'
>

/** Creates what is done to sessions on request. */
function createCommands(services: RunServices, { lock, inTurn }: Turns): Commands {
  const stop: Runs['stop'] = (session, agent, key) =>
    untilStopped(services, inTurn, session, { agent, key })
  return {
    ask: (question) => inTurn(question.session, () => ask(services, question)),
    answer: (session, answers, options) =>
      inTurn(session, () => answer(services, session, answers, options)),
    stop,
    steer: (session, prompt, agent, key) =>
      inTurn(session, () => steer(services, { session, prompt, agent, key })),
    withdraw: (session, messageId) => withdraw(services, session, messageId),
    attend: (session) => attendLater(services, inTurn, session),
    rename: async (session, title) => {
      const isPassed = await inTurn(session, () => rename(services, session, title))
      if (isPassed) await untilShown(services, session, title)
    },
    remove: (session, log) =>
      untilRemoved(services, session, {
        log,
        // A run that was lost is not carried on to be stopped.
        inLock: (task) => lock(session, () => afterOthers(task)),
        stop: () => stop(session),
      }),
    upload: async (session, files, owner) => {
      const kept = await upload(services, session, files, owner)
      // The files are there: what fails now must not make their sender send them again.
      await inTurn(session, () => countBytes(services, session, sizeOf(files))).catch(
        (error: unknown) => services.onError(error, { session }),
      )
      return kept
    },
  }
}

/** Hands runs over, or ends them, and waits until that is stored and told. */
async function endRuns({ store, runs, leaving, deliveries, titles }: RunServices): Promise<void> {
  for (const run of runs.values()) {
    if (store.isDurable) run.handOff()
    else run.abort(closing())
  }
  await Promise.all(leaving)
  await deliveries.close()
  titles.close()
}

/** How often something is tried while other servers are faster. */
const TRIES = 5

/** Tries again what another server was faster with, and so finds what that has done; nothing was stored before. */
async function afterOthers<Result>(task: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await task()
    } catch (error) {
      if (tries === TRIES || !isMillraceError(error) || error.code !== 'lease_lost') throw error
    }
  }
}
