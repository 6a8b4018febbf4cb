import type { SessionInfo } from '../../stores/port/index.ts'
import type { Caller } from '../access/caller.ts'
import { type ForkContext, forkSession } from '../commands/fork.ts'
import { findReceipt } from '../commands/receipts.ts'
import { keepReceipt } from '../commands/run-command.ts'
import { deriveSession, readMessageKey } from '../requests/message-key.ts'
import type { ForkBody } from '../requests/request-bodies.ts'
import type { ServerContext } from '../server-context.ts'
import { findSession, headOf } from '../sessions/load-session.ts'

/** Creates the context of a fork. */
export function toForkContext(context: ServerContext): ForkContext {
  const { store, agents, now, node, runs, onError } = context
  const endRun = (session: string): void => {
    runs.stop(session).catch((error: unknown) => onError(error, { session }))
  }
  return { store, agents, now, node, endRun }
}

/** Fields of a request that determine the id of a branch. */
interface BranchNames {
  readonly branch_uuid?: string | undefined
  readonly message_id?: string | undefined
}

/**
 * Chooses the id of a branch: the given one, one derived from the key, so that a repeated request finds the same
 * branch, or a new one. Throws unless the caller may run a session of a given id.
 */
export async function nameBranch(
  context: ServerContext,
  caller: Caller,
  session: string,
  { branch_uuid: given, message_id }: BranchNames,
): Promise<string> {
  if (given !== undefined) {
    await caller.check('run', given)
    return given
  }
  const key = await readMessageKey(caller, { message_id })
  return key === undefined ? context.createId() : deriveSession('branch', () => session, key.key)
}

/** Finds a branch of a session that was created before; undefined if there is none. */
export async function findBranch(
  { store }: ServerContext,
  session: string,
  branch: string,
): Promise<SessionInfo | undefined> {
  const info = await store.info(branch)
  return headOf(info)?.forkedFrom?.session === session ? info : undefined
}

/** Creates a branch of a session, or finds the one that the same key created; resolves with its id. [BRANCH-1] */
export async function createFork(
  context: ServerContext,
  caller: Caller,
  session: string,
  body: ForkBody,
): Promise<string> {
  const { owner, context: sender } = await caller.check('fork', session)
  const to = await nameBranch(context, caller, session, body)
  const { after, title } = body
  const key = await readMessageKey(caller, { ...body, type: 'fork' })
  const known = await findBranch(context, session, to)
  const isRepeated = (await findReceipt(context.store, known, key)) !== undefined
  if (isRepeated) return to
  const fork = { session, log: caller.log, after, to, owner, context: sender, title }
  if (known === undefined || after !== undefined) await forkSession(toForkContext(context), fork)
  // In the branch, whose id follows from the key.
  const { info } = await findSession(context.store, to)
  await keepReceipt(context, info, key, { state: 'done' })
  return to
}
