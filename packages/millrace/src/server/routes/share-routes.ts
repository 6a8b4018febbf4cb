import { toCaller } from '../access/caller.ts'
import { shareSession, unshareSession } from '../actions/share-session.ts'
import { requestSchemas, sessionParameter } from '../requests/decode-body.ts'
import { answerSchemas, defineRoute, sessionErrors } from './route.ts'

/** Creates the share link of a session: its holder can read the session, and nothing else. [SES-7] */
export const shareRoute = defineRoute({
  method: 'POST',
  path: '/agent/{uuid}/share',
  summary: 'Creates the share link of a session, and revokes an earlier one.',
  parameters: { uuid: sessionParameter },
  body: {
    type: 'application/json',
    schema: async () => (await requestSchemas()).shareBody,
    isOptional: true,
  },
  answer: {
    description: 'The token of the link and its expiry time.',
    content: async () => (await answerSchemas()).shareAnswer,
  },
  errors: sessionErrors,
  handle: async (context, { request, path: { uuid: session = '' }, body }) => {
    const caller = toCaller(context, request)
    const { token, expiresAt } = await shareSession(context, caller, session, body.expires_in)
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
  answer: {
    description: 'Whether there was a link to revoke.',
    content: async () => (await answerSchemas()).unshareAnswer,
  },
  errors: sessionErrors,
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    const revoked = await unshareSession(context, toCaller(context, request), session)
    return Response.json({ revoked })
  },
})
