import { toCaller } from '../access/caller.ts'
import { createFork } from '../actions/fork-session.ts'
import { checkAccess, maySee } from '../access/check-access.ts'
import { findSession, findUsedSession, headOf } from '../sessions/load-session.ts'
import { namedLog } from '../requests/cursor.ts'
import { keyHeader } from '../requests/message-key.ts'
import { toBranchView } from '../sessions/session-view.ts'
import { requestSchemas, sessionParameter } from '../requests/decode-body.ts'
import { answerSchemas, commandErrors, defineRoute, sessionErrors } from './route.ts'

/** Maximum branches in a list. */
const MAX_BRANCHES = 200

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
    const to = await createFork(context, toCaller(context, request), session, body)
    const { info, head } = await findSession(context.store, to)
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
