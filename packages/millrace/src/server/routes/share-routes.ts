import { checkAccess } from '../access/check-access.ts'
import { createShare, revokeShare } from '../access/shares.ts'
import { sessionParameter } from '../requests/path-parameters.ts'
import { shareBody } from '../requests/request-bodies.ts'
import { findUsedSession } from '../sessions/find-session.ts'
import { shareAnswer, unshareAnswer } from './answers.ts'
import { defineRoute } from './route.ts'

const shareErrors = ['bad_request', 'not_found', 'log_replaced', 'store_unavailable'] as const

/** Creates the share link of a session: its holder can read the session, and nothing else. [SES-7] */
export const shareRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/share',
  summary: 'Creates the share link of a session, and revokes an earlier one.',
  parameters: { uuid: sessionParameter },
  body: { type: 'application/json', schema: shareBody, isOptional: true },
  answer: { description: 'The token of the link and its expiry time.', content: shareAnswer },
  errors: shareErrors,
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    await checkAccess(context, request, 'share', session)
    await findUsedSession(context.store, session)
    const { token, expiresAt } = await createShare(context, session, body.expires_in * 1_000)
    const expires = new Date(expiresAt).toISOString()
    return Response.json(
      { agent_uuid: session, share: token, expires_at: expires },
      { headers: { 'cache-control': 'no-store' } },
    )
  },
})

/** Revokes the share link of a session. Open streams of its holders continue to the end of the run that they read. */
export const unshareRoute = defineRoute({
  method: 'DELETE',
  path: '/agent/{uuid}/share',
  summary: 'Revokes the share link of a session.',
  parameters: { uuid: sessionParameter },
  answer: { description: 'Whether there was a link to revoke.', content: unshareAnswer },
  errors: shareErrors,
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    await checkAccess(context, request, 'share', session)
    await findUsedSession(context.store, session)
    return Response.json({ revoked: await revokeShare(context.store, session) })
  },
})
