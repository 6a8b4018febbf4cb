import type { PauseAnswers, ProducerRequest, Verdict } from '../../agent/port/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { SessionInfo, StoredFile } from '../../stores/port/index.ts'
import { answer, type AnswerOptions, judge } from '../commands/answer.ts'
import { ask } from '../commands/begin-run.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import { createKeyedLock, type KeyedLock } from '../timing.ts'
import type { Run } from './run.ts'
import { type Completion, createRemoteCompletions } from '../reading/completion.ts'
import { createLeftSessions, createRecovery } from '../recovery/recovery.ts'
import { carryOutPendingInTurn } from '../commands/carry-out-pending.ts'
import { recoverCommand } from '../commands/run-command.ts'
import { produce } from '../commands/produce.ts'
import { withdraw } from '../commands/queue.ts'
import { checkReceipt, decodeReceipt, type MessageKey, readOutcome } from '../commands/receipts.ts'
import { untilRemoved } from '../commands/remove.ts'
import { rename, untilShown } from '../commands/rename.ts'
import { steer } from '../commands/steer.ts'
import { untilStopped } from '../commands/stop.ts'
import { countBytes, sizeOf, upload } from '../commands/upload.ts'
import type { Upload } from '../files/uploads.ts'
import { createOwnerQuota } from '../sessions/quota.ts'
import { createSessionTitles } from '../sessions/session-titles.ts'
import { Deliveries } from '../webhooks/deliveries.ts'
import { closing, type LogRange, type RunServices, type RunsOptions } from './run-services.ts'

/** The number of a prompt's run, and its range. */
export interface FoundPrompt {
  readonly run: number
  readonly range: LogRange
}

/** Options of a message to a run. */
interface SteerOptions {
  readonly agent?: string | undefined
  readonly key?: MessageKey | undefined
  /** The context of the sender, for the run that the message may start. */
  readonly context?: JsonValue | undefined
}

/** The runs of a server, one at a time for each session. */
export interface Runs {
  /** Throws if the sessions of an owner have reached their limit of bytes. */
  checkOwner(owner: string | null): Promise<void>
  /** Starts a run with a prompt. */
  ask(request: PromptRequest): Promise<LogRange>
  /** Takes answers to pending calls, and resumes when all are answered. */
  answer(session: string, answers: PauseAnswers, options?: AnswerOptions): Promise<LogRange>
  /** Compares answers with earlier ones, without an effect. */
  judge(session: string, answers: PauseAnswers): Promise<Verdict>
  /** Stops the active or paused run of a session, or one agent of it; false if there is none. */
  stop(session: string, agent?: string, key?: MessageKey): Promise<boolean>
  /** Sends a message to an active run, or one agent of it; false if there is none. */
  steer(session: string, prompt: Prompt, options?: SteerOptions): Promise<boolean>
  /** Passes a request of a producer to the run of a session, and resolves with the reply once its effect is stored. */
  produce(session: string, request: ProducerRequest, signal: AbortSignal): Promise<JsonObject>
  /** Removes a prompt from the queue of a session before it starts. */
  withdraw(session: string, messageId: string): Promise<void>
  /** Finds the run of the prompt with a key; undefined if it has none or has not started. Other content than `sent` is refused. */
  find(info: SessionInfo, key: string, sent?: MessageKey): Promise<FoundPrompt | undefined>
  /** Starts the pending commands of a session without an active run. */
  carryOutPending(session: string): Promise<void>
  /** Sets a title that no generated title replaces. */
  rename(session: string, title: string, key?: MessageKey): Promise<void>
  /** Removes a session with all of its data, after its run has stopped; `log_replaced` if it has another log than `log`. */
  remove(session: string, log?: string): Promise<void>
  /** Stores files for a session, which is created if missing; its active run continues. */
  upload(session: string, given: Upload): Promise<readonly StoredFile[]>
  active(session: string): Run | undefined
  /** Returns the number of active runs. */
  count(): number
  /** Recovers the run of a session for a reader, if its server is gone. */
  recoverIfLapsed(session: string): Promise<void>
  /** Does the same, but reports errors instead of throwing them. */
  tryRecover(session: string): Promise<void>
  /** Checks whether a server runs the session, or will as soon as it finds the lost run. */
  isServed(info: SessionInfo): boolean
  /** Creates the completion for readers of a run on another server. */
  remote(seen: Pick<SessionInfo, 'session' | 'log' | 'tail'>): Completion
  /** Recovers lost runs, now and periodically; resolves with the sessions found now. */
  recover(): Promise<readonly string[]>
  /** Starts to recover lost runs in the background, unless that is disabled. */
  start(): void
  /** Whether it is closing, or closed. */
  isClosing(): boolean
  /** Hands off active runs, or ends those that no server can continue; resolves when that is stored. */
  close(): Promise<void>
}

/** Creates the runs of a server. */
export function createRuns(options: RunsOptions): Runs {
  const lock = createKeyedLock()
  const runs = new Map<string, Run>()
  const { title, titleTimeoutMs, isGone, onRecovered, onError } = options
  const closed = new AbortController()
  const { signal } = closed
  const services: RunServices = {
    ...options,
    runs,
    starting: new Set(),
    carriedOutSoon: new Set(),
    leaving: new Set(),
    titles: createSessionTitles({ title, titleTimeoutMs, lock, onError }),
    deliveries: new Deliveries(options),
    ownerQuota: createOwnerQuota(options.store, options.maxOwnerBytes),
    left: createLeftSessions(options),
    remote: createRemoteCompletions({ ...options, signal, recovery: () => recovery }),
    resume: (session, epoch) => recovery.resume(session, epoch),
    isClosing: () => signal.aborted,
    closed: signal,
    carryOutPending: (session, ended) =>
      void carryOutPendingInTurn(services, inTurn, session, ended),
  }

  const recovery = createRecovery({ services, lock, isGone, onRecovered })
  const unsubscribe = options.store.onCommand((session, command) => {
    if (command === recoverCommand) void recovery.take(session)
    else services.carryOutPending(session)
  })

  /**
   * Recovers a lost run before a command, even where the server does not look for lost runs: another run must not start before the end of
   * the lost one is emitted.
   */
  const inTurn = <Result>(session: string, task: () => Promise<Result>): Promise<Result> =>
    lock(session, () =>
      afterOthers(async () => {
        await recovery.recoverIfLapsed(session, { isCommand: true })
        return task()
      }),
    )

  return {
    ...createCommands(services, { lock, inTurn }),

    checkOwner: (owner) => services.ownerQuota.check(owner),

    find: (info, key, sent) => findPrompt(services, info, key, sent),

    judge: (session, answers) => judge(services, session, answers),

    active: (session) => runs.get(session),
    count: () => runs.size,

    recoverIfLapsed: async (session) => {
      // Readers need not wait for the session's lock while its run is active here.
      if (runs.has(session) || !recovery.isForReaders()) return
      await lock(session, () => afterOthers(() => recovery.recoverIfLapsed(session)))
    },

    tryRecover: recovery.attempt,
    isServed: recovery.isServed,
    remote: services.remote,

    recover: recovery.sweep,

    start: recovery.start,
    isClosing: () => signal.aborted,

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
  sent?: MessageKey,
): Promise<FoundPrompt | undefined> {
  const command = await services.store.command(session, key, log)
  const receipt = command && (sent ? checkReceipt(command, sent) : decodeReceipt(command))
  if (receipt?.run === undefined) return undefined
  return { run: receipt.run, range: await readOutcome(services, session, receipt) }
}

/** The serialisation of commands of a session. */
interface Turns {
  readonly lock: KeyedLock
  /** Runs a task with the session's lock, after a lost run is recovered. */
  readonly inTurn: <Result>(session: string, task: () => Promise<Result>) => Promise<Result>
}

type Commands = Pick<
  Runs,
  | 'ask'
  | 'answer'
  | 'stop'
  | 'steer'
  | 'produce'
  | 'withdraw'
  | 'carryOutPending'
  | 'rename'
  | 'remove'
  | 'upload'
>

function createCommands(services: RunServices, { lock, inTurn }: Turns): Commands {
  const stop: Runs['stop'] = (session, agent, key) =>
    untilStopped(services, inTurn, session, { agent, key })
  return {
    ask: (request) => inTurn(request.session, () => ask(services, request)),
    answer: (session, answers, options) =>
      inTurn(session, () => answer(services, session, answers, options)),
    stop,
    steer: (session, prompt, { agent, key, context } = {}) =>
      inTurn(session, () => steer(services, { session, prompt, agent, key, context })),
    produce: (session, request, signal) => produce(services, inTurn, session, request, signal),
    withdraw: (session, messageId) => withdraw(services, session, messageId),
    carryOutPending: (session) => carryOutPendingInTurn(services, inTurn, session),
    rename: async (session, title, key) => {
      const isPassed = await inTurn(session, () => rename(services, session, title, key))
      if (isPassed) await untilShown(services, session, title)
    },
    remove: (session, log) =>
      untilRemoved(services, session, {
        log,
        // A lost run is not recovered to be stopped.
        inLock: (task) => lock(session, () => afterOthers(task)),
        stop: () => stop(session),
      }),
    upload: (session, given) =>
      upload(services, session, given, () =>
        inTurn(session, () => countBytes(services, session, sizeOf(given.files), given.key)),
      ),
  }
}

/** Hands off runs, or ends them, and waits until that is stored and delivered. */
async function endRuns({ store, runs, leaving, deliveries, titles }: RunServices): Promise<void> {
  for (const run of runs.values()) {
    if (store.isDurable) run.handOff()
    else run.abort(closing())
  }
  await Promise.all(leaving)
  await deliveries.close()
  titles.close()
}

/** Number of attempts while other servers are faster. */
const TRIES = 5

/** Repeats a task after `lease_lost`, so that it sees the changes of the other server; nothing was stored before. */
async function afterOthers<Result>(task: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await task()
    } catch (error) {
      if (tries === TRIES || !isMillraceError(error) || error.code !== 'lease_lost') throw error
    }
  }
}
