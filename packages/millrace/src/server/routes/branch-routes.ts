import { type ForkContext, forkSession } from '../commands/fork.ts'
import { findReceipt } from '../commands/receipts.ts'
import { keepReceipt } from '../commands/run-command.ts'
import { checkAccess, maySee } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { findSession, findUsedSession, headOf } from '../sessions/load-session.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { namedLog } from '../requests/cursor.ts'
import { deriveSession, keyHeader, readMessageKey } from '../requests/message-key.ts'
import { toBranchView } from '../sessions/session-view.ts'
import { requestSchemas, sessionParameter } from '../requests/decode-body.ts'
import { answerSchemas, commandErrors, defineRoute, sessionErrors } from './route.ts'

/** Maximum branches in a list. */
const MAX_BRANCHES = 200

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
 * branch, or a new one. Throws unless the request may run a session of a given id.
 */
export async function nameBranch(
  context: ServerContext,
  request: Request,
  session: string,
  { branch_uuid: given, message_id }: BranchNames,
): Promise<string> {
  if (given !== undefined) {
    await checkAccess(context, request, 'run', given)
    return given
  }
  const key = await readMessageKey(request, { message_id })
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

/** Creates a branch of a session. [BRANCH-1] */
export const forkRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/fork',
  summary: 'Creates a branch: a session that shares the frames of this one up to a frame.',
  parameters: { uuid: sessionParameter },
  body: {
    type: 'application/json',
    schema: async () => (await requestSchemas()).forkBody,
    isOptional: true,
  },
  headers: keyHeader,
  answer: { description: 'The branch.', content: async () => (await answerSchemas()).forkAnswer },
  errors: [...commandErrors, 'conflict', 'cursor_trimmed'],
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    const { owner, context: sender } = await checkAccess(context, request, 'fork', session)
    const to = await nameBranch(context, request, session, body)
    const { after, title } = body
    const key = await readMessageKey(request, { ...body, type: 'fork' })
    const known = await findBranch(context, session, to)
    const isRepeated = (await findReceipt(context.store, known, key)) !== undefined
    const fork = { session, log: namedLog(request), after, to, owner, context: sender, title }
    if (!isRepeated && (known === undefined || after !== undefined))
      await forkSession(toForkContext(context), fork)
    const { info, head } = await findSession(context.store, to)
    // In the branch, whose id follows from the key.
    if (!isRepeated) await keepReceipt(context, info, key, { state: 'done' })
    const rules = await context.viewOf(request, to)
    const frame = head.forkedFrom?.frame ?? 0
    return Response.json({ ...toBranchView(to, head, frame, rules), tail: info.tail })
  },
})

/** Lists the branches of a session. */
export const branchesRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/branches',
  summary: 'Lists the branches that share frames which this session has written.',
  parameters: { uuid: sessionParameter },
  answer: {
    description: 'Up to 200 branches, by their last shared frames.',
    content: async () => (await answerSchemas()).branchesAnswer,
  },
  errors: sessionErrors,
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    const { store } = context
    const sender = await checkAccess(context, request, 'read', session)
    const { info } = await findUsedSession(store, session, { log: namedLog(request) })
    const found = await store.branches(session, MAX_BRANCHES, info.log)
    const views = found.map(async ({ session: branch, frame }) => {
      const own = await store.info(branch)
      const head = headOf(own)
      if (own === undefined || head === undefined) return []
      if (!(await maySee(context, request, sender, own))) return []
      return [toBranchView(branch, head, frame, await context.viewOf(request, branch))]
    })
    const branches = (await Promise.all(views)).flat()
    return Response.json({ branches: branches.toSorted((a, b) => a.after - b.after) })
  },
})
