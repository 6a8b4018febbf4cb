import { MillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { JsonValue } from '../../json/index.ts'
import { toContextParts } from '../sessions/record-writer.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'
import { type FoundCut, findCut, findCutBefore, toCut, toEmptyCut } from '../sessions/cuts.ts'
import { findLoaded, findSession, headOf } from '../sessions/load-session.ts'
import {
  decodeHead,
  encodeHead,
  rootAgentOf,
  type SessionHead,
} from '../sessions/session-record.ts'
import { type ConversationSource, findRun, readRunPart, readRunPrompt } from '../runs/stored-run.ts'

interface ForkRequest {
  readonly session: string
  readonly log?: string | undefined
  /** The last frame to share; if absent, the newest at which the session can be forked. */
  readonly after?: number | undefined
  /** The id of the branch; the same one again is the same branch. */
  readonly to: string
  /** The owner of the branch, which may differ from the session's. */
  readonly owner: string | null
  /** The context of the sender, for a run that the branch continues. */
  readonly context?: JsonValue | undefined
  readonly title?: string | undefined
}

/** The store, the clock and the end of runs, for forks. */
export interface ForkContext {
  readonly store: Store
  readonly agents: ConversationSource['agents']
  readonly now: () => number
  /** The id of this server. */
  readonly node: string
  /** Ends the run of a session in the background: that reads the whole conversation, which a fork does not. */
  readonly endRun: (session: string) => void
}

/** Creates a branch of a session. A run that continues beyond the frame is stopped in the branch. [BRANCH-1] */
export async function forkSession(
  context: ForkContext,
  { session, log, after, to, owner, context: sender, title }: ForkRequest,
): Promise<SessionInfo> {
  const { store } = context
  const source = await findSession(store, session, { log })
  const found = after === 0 ? toEmptyCut(source.head) : await findForkPlace(store, source, after)
  return createBranch(context, { source, found, to, owner, sender, title })
}

interface RunReplacement {
  readonly session: string
  /** The id of the run; the newest if absent. */
  readonly runId?: string | undefined
  /** The new prompt; the old one if absent. */
  readonly prompt?: Prompt | undefined
  readonly to: string
  readonly owner: string | null
}

/** Creates a branch that ends before a run; returns the prompt to run there. [BRANCH-5] */
export async function forkBeforeRun(
  context: ForkContext,
  { session, runId, prompt, to, owner }: RunReplacement,
): Promise<Prompt> {
  const { store, agents } = context
  const source = await findSession(store, session)
  const run = await findRun({ store, session }, runId)
  const asked = prompt ?? (await readRunPrompt({ store, session, agents }, run))
  const found = (await findCutBefore(store, source.info, run.first - 1)) ?? toEmptyCut(source.head)
  if (found.frame === 0 && run.number > 1)
    throw new MillraceError(
      'conflict',
      `Session ${session} cannot be forked before run ${run.number}: an older server stored the runs before it. Start a new session.`,
    )
  await createBranch(context, { source, found, to, owner })
  return asked
}

interface BranchPlan {
  readonly source: { readonly info: SessionInfo; readonly head: SessionHead }
  readonly found: FoundCut
  readonly to: string
  readonly owner: string | null
  readonly sender?: JsonValue | undefined
  readonly title?: string | undefined
}

async function createBranch(
  { store, now, node, endRun }: ForkContext,
  { source: { info, head }, found: { frame, cut }, to, owner, sender, title }: BranchPlan,
): Promise<SessionInfo> {
  const { session: from, log, earliest } = info
  if (frame < earliest - 1) throw trimmed(from, earliest)
  const { prompt: _prompt, bytes: _bytes, ...shared } = decodeHead(cut.head)
  const at = now()
  const root = frame === 0 ? {} : { rootAgent: rootAgentOf(from, head) }
  const times = { createdAt: at, updatedAt: at }
  const named = title === undefined ? { title: head.title } : { title, isRenamed: true as const }
  const own = { ...shared, ...times, ...root, ...named, forkedFrom: { session: from, frame } }
  const parts = [...cut.parts, ...toContextParts(sender, frame)]
  // If this server ends before it has ended the run, others find it by its lapsed lease. The cut has its stop.
  const lease = shared.status === 'running' ? { lease: { owner: node, ms: 0 } } : {}
  const stored = { owner, head: encodeHead(own), parts, ...lease }
  const branch = await store.fork({ from, log, frame, to, ...stored })
  // A repeated fork finds the branch as it is now, perhaps with a run of its own.
  const isFresh = branch.epoch === 1 && branch.tail === frame
  if (isFresh && headOf(branch)?.status === 'running') endRun(to)
  return branch
}

/** Finds the cut of a fork. Sessions of version 0.1.0 have no cuts, but can be forked at their end without a run. */
async function findForkPlace(
  store: Store,
  { info, head }: BranchPlan['source'],
  after: number | undefined,
): Promise<FoundCut> {
  const { session, tail: frame, earliest } = info
  if (after !== undefined && after < earliest - 1) throw trimmed(session, earliest)
  const newest = after === undefined ? await findCutBefore(store, info, frame) : undefined
  if (newest !== undefined) return newest
  // The first run has not reached a cut.
  if (after === undefined && head.status === 'running' && head.runs === 1 && earliest === 1)
    return toEmptyCut(head)
  try {
    return await findCut(store, info, after)
  } catch (error) {
    const isAtRest = (after ?? frame) === frame && info.lease === undefined
    const found = isAtRest ? await findLoaded(store, info.session) : undefined
    if (found?.info.tail !== frame || found.loaded.stored.status === 'running') throw error
    const { stored, writer } = found.loaded
    const run = await readRunPart({ store, session: info.session }, stored.runs)
    return { frame, cut: toCut(stored, { frame, run, writer }) }
  }
}

function trimmed(session: string, earliest: number): MillraceError {
  return new MillraceError(
    'cursor_trimmed',
    `The frames of session ${session} before ${earliest} are no longer kept; fork it after ${earliest - 1} or later, or start a new session.`,
    { details: { earliest } },
  )
}
