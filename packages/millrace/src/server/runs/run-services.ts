import type { Agent, AgentCommand, Offer } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { Lease, SessionInfo } from '../../stores/port/index.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import type { HandlerLimits, HandlerOptions } from '../handler-options.ts'
import type { Completion } from '../reading/completion.ts'
import type { LeftSessions, Recovers } from '../recovery/recovery.ts'
import type { ServerObserver } from '../server-observer.ts'
import { headOf } from '../sessions/load-session.ts'
import type { OwnerQuota } from '../sessions/quota.ts'
import type { SessionHead, SessionStatus } from '../sessions/session-record.ts'
import type { SessionTitles } from '../sessions/session-titles.ts'
import { openState } from '../sessions/record-writer.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import type { Endpoint } from '../webhooks/webhook-options.ts'
import type { PublishLines } from './log-writer.ts'
import type { RunInbox } from './run-inbox.ts'
import type { Run } from './run.ts'

type RunsChoices = Pick<
  HandlerOptions,
  | 'agents'
  | 'defaultAgent'
  | 'store'
  | 'title'
  | 'files'
  | 'approvalTtlMs'
  | 'requireInputHash'
  | 'onEvent'
>

/** Options of a server's runs: those of its handler, with defaults, and its own parts. */
export interface RunsOptions
  extends
    RunsChoices,
    Required<HandlerLimits>,
    Required<Pick<HandlerOptions, 'isGone' | 'onRecovered' | 'onError' | 'node' | 'now'>> {
  /** When lost runs without requests are recovered. */
  readonly recovers?: Recovers
  /** Number of runs whose frames the log of a session keeps. */
  readonly keepRuns?: number
  readonly observer: Required<ServerObserver>
  /** Receives every stored line. */
  readonly publish?: PublishLines
  /** Receives every line before it is stored. */
  readonly onLine?: (log: string, id: number, line: string) => void
  /** The receivers of events about runs. */
  readonly endpoints?: readonly Endpoint[]
}

/** The shared state of a server's runs. */
export interface RunServices extends RunsOptions {
  /** The active runs by session. */
  readonly runs: Map<string, Run>
  /** The sessions whose run is being prepared; each occupies a slot. */
  readonly starting: Set<string>
  /** The sessions whose pending commands are checked again soon. */
  readonly carriedOutSoon: Set<string>
  readonly titles: SessionTitles
  readonly ownerQuota: OwnerQuota
  /** The sessions that are left to servers which offer their agents. */
  readonly left: LeftSessions
  /** Sends events to their receivers. */
  readonly deliveries: Deliveries
  /** Creates the completion for readers of a run on another server. */
  readonly remote: (seen: Pick<SessionInfo, 'session' | 'log' | 'tail'>) => Completion
  /** Resolve when ended runs are removed. */
  readonly leaving: Set<Promise<void>>
  /** Executes the pending commands of a session unless another server does; `ended` holds those passed to a run that is over. */
  readonly carryOutPending: (session: string, ended?: RunInbox) => void
  /** Continues a run that this server left in an epoch because its store did not answer. */
  readonly resume: (session: string, epoch: number) => void
  readonly isClosing: () => boolean
  /** Aborts when the server closes. */
  readonly closed: AbortSignal
}

/** Returns the agent of a session; undefined if the server does not offer it. */
export function findAgent(
  agents: Readonly<Record<string, Agent>>,
  head: Pick<SessionHead, 'agentType'> | undefined,
): Agent | undefined {
  const { agentType = '' } = head ?? {}
  return Object.hasOwn(agents, agentType) ? agents[agentType] : undefined
}

/** Creates the error for a session whose agent the server does not have. */
export function agentMissing(agentType: string): MillraceError {
  return new MillraceError(
    'unsupported',
    `This session belongs to the agent ${agentType}, which is no longer offered; start a new session.`,
  )
}

/** Creates the lease of this server. */
export function leaseOf({ node, leaseMs }: RunServices): Lease {
  return { owner: node, ms: leaseMs }
}

/** The part of a session to read. */
export interface LogRange {
  readonly session: string
  /** The log to read; empty for a session without one. */
  readonly log: string
  /** The id of the root agent; the session's if absent. */
  readonly root?: string
  readonly after: number
  /** Number of frames of the next message that the reader has, in a format that makes several of one. [DIA-2] */
  readonly frames?: number
  /** The void content that was omitted from the reader's frames. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** The last id when the reader connected; absent without frames to catch up with. */
  readonly tail?: number
  /** No rollback up to the tail has a higher id; absent if unknown. */
  readonly lastRollback?: number
  /** The last frame that a branch shares with its parent. */
  readonly forkedAfter?: number
  readonly completion: Completion
  /** The state of a repeated prompt: that of its run, or the reason why it has none. */
  readonly state?: SessionStatus | 'withdrawn' | 'void'
  /** A queued prompt; its range is known once its run starts. */
  readonly queued?: {
    readonly messageId: string
    readonly begins: (signal: AbortSignal) => Promise<LogRange>
  }
}

/**
 * Opens a session for writing. Throws `lease_lost` if another server has opened it since `known` was read, because decisions from that
 * state are outdated; `unsupported` for a session of a newer version of the server. A new session belongs to `owner`.
 */
export async function openKnown(
  services: RunServices,
  session: string,
  known: SessionInfo | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  // Throws for a session of a newer version, whose writer must not change.
  headOf(known)
  const { epoch, owner: stored } = known ?? { epoch: 0, owner }
  return services.store.open(session, leaseOf(services), epoch, stored)
}

/** Checks whether another server runs the session; called only if this server does not run it. */
export function isElsewhere(info: SessionInfo | undefined): info is SessionInfo {
  return info?.lease?.hasLapsed === false && isRunning(info)
}

/** Checks whether the stored run is active, from the head alone. */
export function isRunning(info: SessionInfo): boolean {
  return headOf(info)?.status === 'running'
}

/**
 * Prepares a run in a slot that is reserved before anything is awaited, so that two runs never take the last one; throws if the server
 * has no slot. The launched run keeps the slot.
 */
export async function withRunSlot<T>(
  { runs, starting, maxActiveRuns, isClosing }: RunServices,
  session: string,
  prepare: () => Promise<T>,
): Promise<T> {
  if (isClosing()) throw closing()
  if (runs.size + starting.size >= maxActiveRuns)
    throw new MillraceError(
      'overloaded',
      `The server has reached its limit of ${maxActiveRuns} active runs; try again in a moment.`,
    )
  starting.add(session)
  try {
    return await prepare()
  } finally {
    starting.delete(session)
  }
}

/** Creates the error for runs of a closing server. */
export function closing(): MillraceError {
  return new MillraceError('overloaded', 'The server is shutting down; try again in a moment.')
}

/** Offers a command to the paused run of a session. Nothing is stored. */
export async function offerToPaused(
  { store, agents }: Pick<RunServices, 'store' | 'agents'>,
  info: SessionInfo,
  command: AgentCommand,
): Promise<Offer> {
  const head = headOf(info)
  const agent = findAgent(agents, head)
  if (agent === undefined) throw agentMissing(head?.agentType ?? '')
  const offer = await agent.offer?.(openState(store, info), command)
  return offer ?? { verdict: 'unknown', resumes: false }
}
