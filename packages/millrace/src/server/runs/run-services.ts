import type { Agent } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { Lease, SessionInfo, Store } from '../../stores/port/index.ts'
import type { FileSource } from '../files/provider-files.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import type { Completion } from '../reading/completion.ts'
import type { ReportError } from '../handler-options.ts'
import type { PublishLines } from './log-writer.ts'
import type { RunInbox } from './run-inbox.ts'
import type { OwnerQuota } from '../sessions/owner-quota.ts'
import type { Run } from './run.ts'
import type { Recovers } from '../recovery/recovery.ts'
import type { ServerObserver } from '../server-observer.ts'
import { headOf } from '../sessions/load-session.ts'
import type { SessionStatus } from '../sessions/session-record.ts'
import type { SessionTitles } from '../sessions/session-titles.ts'
import type { RunEvent } from '../../webhooks/index.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import type { Endpoint } from '../webhooks/webhook-options.ts'

/** What runs are made of, and their bounds. */
export interface RunsOptions {
  readonly agents: Readonly<Record<string, Agent>>
  readonly defaultAgent: string
  readonly store: Store
  /** No line is longer once encoded. */
  readonly maxLineBytes: number
  readonly maxActiveRuns: number
  /** How many bytes may be written to a session before it takes no more prompts and files. */
  readonly maxSessionBytes: number
  /** How many bytes may be written to all sessions of an owner before it gets no more runs and files. */
  readonly maxOwnerBytes: number
  /** A run waits while more than this is on its way to the store. */
  readonly maxQueuedBytes: number
  /** How many answered calls a session remembers. */
  readonly maxAnswers: number
  /** Who this server is among those that share its store. */
  readonly node: string
  /** How long after its last sign of life another server may carry on its runs. */
  readonly leaseMs: number
  /** Tells whether the holder of a lease is known to be gone. */
  readonly isGone: (owner: string) => boolean
  /** Told of each session whose run is carried on. */
  readonly onRecovered: (session: string) => void
  /** When lost runs are carried on that nothing is done to. */
  readonly recovers?: Recovers
  /** How long an agent may take to end by itself when it is aborted. */
  readonly abortGraceMs: number
  readonly titleTimeoutMs: number
  /** The log of a session keeps the frames of so many runs. */
  readonly keepRuns?: number
  readonly now: () => number
  /** How long a request for approval can be approved, and how long an approval can start its tool. */
  readonly approvalTtlMs?: number
  /** Whether an approval must carry the hash of the arguments that were shown. */
  readonly requireInputHash?: boolean
  readonly onError: ReportError
  readonly observer: Required<ServerObserver>
  /** Where files that a provider makes are read, to be kept. */
  readonly files?: FileSource
  readonly maxFileBytes: number
  readonly fileTimeoutMs: number
  /** Offered every line that has been stored. */
  readonly publish?: PublishLines
  /** Sees every line before it is stored. */
  readonly onLine?: (log: string, id: number, line: string) => void
  /** The receivers of events about runs. */
  readonly endpoints?: readonly Endpoint[]
  readonly onEvent?: (event: RunEvent) => unknown
  readonly webhookTimeoutMs: number
  readonly webhookRetryMs: number
  /** Names sessions by their first questions. */
  readonly title?: (prompt: Prompt) => Promise<string>
}

/** The runs of a server, as its tasks see them. */
export interface RunServices extends RunsOptions {
  /** The runs under way, by session. */
  readonly runs: Map<string, Run>
  /** The sessions for which a run is being prepared, each of which has its place already. */
  readonly starting: Set<string>
  /** The sessions whose pending commands are looked at again in a moment. */
  readonly attendedSoon: Set<string>
  readonly titles: SessionTitles
  readonly ownerQuota: OwnerQuota
  /** Sends events to their receivers. */
  readonly deliveries: Deliveries
  /** The completion of those who read a run that another server carries on. */
  readonly remote: (seen: Pick<SessionInfo, 'session' | 'log' | 'tail'>) => Completion
  /** Resolve when runs that are over have been put away. */
  readonly leaving: Set<Promise<void>>
  /** Carries out the commands that are pending in a session, if nobody else does; `ended` has those that a run was given that is over. */
  readonly attend: (session: string, ended?: RunInbox) => void
  readonly isClosing: () => boolean
  /** Aborts when the server closes. */
  readonly closed: AbortSignal
}

/** The lease that this server takes on what it runs. */
export function leaseOf({ node, leaseMs }: RunServices): Lease {
  return { owner: node, ms: leaseMs }
}

/** What to read of a session, and until when. */
export interface LogRange {
  readonly session: string
  /** The log that is read; empty for a session that has none yet. */
  readonly log: string
  /** The id of the root agent; the session's if absent. */
  readonly root?: string
  readonly after: number
  /** How many frames of the next message the reader has, in a dialect that makes several of one. [DIA-2] */
  readonly frames?: number
  /** The void content that was left out of what the reader has. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** The last id when the reader came: it catches up to there. Absent if there is nothing to catch up with. */
  readonly tail?: number
  /** No rollback up to the tail has a higher id; absent if that is not known. */
  readonly lastRollback?: number
  /** The last message that a branch shares with its parent. */
  readonly forkedAfter?: number
  readonly completion: Completion
  /** The state of a prompt that was sent before: that of its run, or why it has none. */
  readonly state?: SessionStatus | 'withdrawn' | 'void'
  /** A prompt that waits: what is read of it is known once it begins. */
  readonly queued?: {
    readonly messageId: string
    readonly begins: (signal: AbortSignal) => Promise<LogRange>
  }
}

/**
 * Becomes the writer of a session that was looked at. Throws `lease_lost` if another server has since: what was
 * decided by that look would undo what the other has done. A session that is created now belongs to `owner`.
 */
export function openKnown(
  services: RunServices,
  session: string,
  known: SessionInfo | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  const { epoch, owner: stored } = known ?? { epoch: 0, owner }
  return mapStoreErrors(services.store.open(session, leaseOf(services), epoch, stored))
}

/** Checks whether another server runs the session; called only where this server does not run it. */
export function isElsewhere(info: SessionInfo | undefined): info is SessionInfo {
  return info?.lease?.hasLapsed === false && isRunning(info)
}

/** Tells whether a run is stored as under way, without reading all that is stored. */
export function isRunning(info: SessionInfo): boolean {
  return headOf(info)?.status === 'running'
}

/**
 * Prepares a run in a place that is taken before anything is awaited, so that no two take the last one; refuses
 * it if the server has no room. The place is the run's own once it is launched.
 */
export async function withRunSlot<T>(
  { runs, starting, maxActiveRuns, isClosing }: RunServices,
  session: string,
  prepare: () => Promise<T>,
): Promise<T> {
  if (isClosing()) throw closing()
  if (runs.size + starting.size >= maxActiveRuns) throw noRoom(maxActiveRuns)
  starting.add(session)
  try {
    return await prepare()
  } finally {
    starting.delete(session)
  }
}

function noRoom(maxActiveRuns: number): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server has ${maxActiveRuns} runs under way, which is all it may; try again in a moment.`,
  )
}

/** Why runs end when the server does. */
export function closing(): MillraceError {
  return new MillraceError('overloaded', 'The server is shutting down; ask again in a moment.')
}

/** Says that there is no such session. */
export function sessionMissing(session: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no session ${session}; check the id, or start one with POST /agent/run.`,
  )
}
