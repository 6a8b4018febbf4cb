import type { StandardSchema } from '../../json/index.ts'
import type { LazySchema } from '../requests/decode-body.ts'
import { MillraceError } from '../../errors/index.ts'
import type { JsonReply, Plan, StreamReply } from '../../protocols/port/index.ts'
import { decodeSse } from '../../sse/index.ts'
import { completedAt } from '../reading/completion.ts'
import { findRunStart } from '../reading/find-start.ts'
import { checkNamedLog } from '../requests/cursor.ts'
import type { Identity } from '../access/identity.ts'
import { deriveSession } from '../requests/message-key.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { streamErrors, streamRun } from '../routes/run-routes.ts'
import type { ServerContext } from '../server-context.ts'
import { findCurrentSession } from '../sessions/current-session.ts'
import { endOf } from '../sessions/load-session.ts'
import { acceptAnswers } from './accept-answers.ts'
import {
  createCheck,
  type Outcome,
  type PlannedRequest,
  type StreamRequest,
  toStreamFacts,
} from './planned-request.ts'
import type { OfferedRoute } from './protocols.ts'
import { sendMessage } from './send-message.ts'
import { resumeStream, showSession } from './show-session.ts'
/** The header with the session of a response: its client can stop it, steer it, and read it in another format. */
const SESSION_HEADER = 'x-millrace-session'

/** Carries out the plan of a protocol for a request. */
async function carryOut(
  context: ServerContext,
  request: Request,
  protocol: string,
  plan: Plan,
): Promise<Response> {
  const findOwner = async () => (await context.identify(request)).owner
  const session = await deriveSession(protocol, findOwner, plan.session)
  const check = createCheck(context, request, session)
  const planned = { context, request, protocol, session, plan, check }
  const { reply } = plan
  const response =
    reply.type === 'json'
      ? await respondJson(planned, reply)
      : await respondStream({ ...planned, reply })
  response.headers.set(SESSION_HEADER, session)
  return response
}

async function respondStream(planned: StreamRequest): Promise<Response> {
  const { context, request, session, reply } = planned
  const isResumed = reply.isResumable === true && hasCursor(planned)
  const { quotaKey } = await checkEntry(planned, isResumed)
  const outcome = isResumed ? await resumeStream(planned) : await findOutcome(planned)
  if (outcome === undefined) return new Response(null, { status: 204 })
  const { start, isRun, facts } = outcome
  const format = await reply.format(toStreamFacts(planned, facts))
  return isRun
    ? streamRun(context, request, { session, start }, format)
    : context.readers.respond(request, start, { quotaKey, format })
}

async function findOutcome(planned: StreamRequest): Promise<Outcome | undefined> {
  const { plan, reply } = planned
  const answers = await acceptAnswers(planned)
  if (!('idle' in answers)) return answers
  if (plan.message !== undefined) return sendMessage(planned, plan.message)
  if (typeof reply.otherwise === 'function') throw reply.otherwise(answers.idle)
  return showSession(planned)
}

function hasCursor({ request }: PlannedRequest): boolean {
  return (request.headers.get('last-event-id') ?? '') !== ''
}

/**
 * Refuses a request without access to any action that its plan can cause, before anything is read for it. Results may be answers or a copy
 * of old ones: only the session decides, and the resulting action is checked then.
 */
async function checkEntry(
  { plan, reply, check }: StreamRequest,
  isResumed: boolean,
): Promise<Identity> {
  const hasAnswers = !isResumed && (plan.answers?.length ?? 0) > 0
  try {
    return await check(isResumed ? 'read' : firstAction(plan, reply))
  } catch (refusal) {
    if (!hasAnswers) throw refusal
    return check('answer').catch(() => Promise.reject(refusal))
  }
}

function firstAction({ message }: Plan, { otherwise }: StreamReply) {
  if (message !== undefined) return 'run'
  return typeof otherwise === 'function' ? 'answer' : 'read'
}

/** Responds with the newest runs as JSON: read as a stream is, so that it shows no more than one. */
async function respondJson(
  { context, request, session, check }: PlannedRequest,
  { runs: limit, format, toBody }: JsonReply,
): Promise<Response> {
  const { quotaKey } = await check('read')
  const active = await findCurrentSession(context, session)
  checkNamedLog(request, session, active?.info)
  const frames: string[] = []
  let hasMore = false
  if (active !== undefined) {
    const { log, tail, earliest } = active.info
    const place = { session, log, ...endOf(active) }
    let after = tail
    for (let runs = 0; runs < limit && after >= earliest; runs++)
      after = await findRunStart(context.store, place, after)
    hasMore = after >= earliest
    const range = { ...place, after, completion: completedAt(tail) }
    const open = () => Promise.resolve(range)
    const { body } = await context.readers.respond(request, open, { quotaKey, format })
    const options = { maxFrameChars: context.limits.maxUploadBytes, signal: request.signal }
    if (body !== null)
      for await (const events of decodeSse(body, options))
        for (const { data } of events) if (data !== '') frames.push(data)
  }
  // As stored with the last of the frames.
  const isRunning = active?.head.status === 'running'
  return new Response(toBody({ frames, hasMore, isRunning }), {
    headers: { 'content-type': 'application/json' },
  })
}

/** Creates a route from the plan of a protocol; loads the code of the protocol. */
export async function toProtocolRoute(offered: OfferedRoute): Promise<Route> {
  const { protocol, name, method, path, summary, load } = offered
  const { plans = {} } = await load()
  const plan = plans[name]
  if (plan === undefined) {
    throw new MillraceError(
      'internal',
      `The protocol ${protocol} has the route ${name} and no plan for it; add \`plans.${name}\` to its code.`,
    )
  }
  const { parameters = {}, query, body, headers = {}, reply, errors = [] } = plan
  const { content } = reply
  const known = Object.entries(parameters).map(
    ([id, { schema, meaning }]) => [id, { schema: loaded(schema), meaning }] as const,
  )
  return defineRoute({
    method,
    path,
    summary,
    headers,
    parameters: Object.fromEntries(known),
    ...(query && { query: loaded(query) }),
    ...(body && {
      body: { type: 'application/json', schema: loaded(body), holdsFiles: true },
    }),
    answer: { ...reply, content: content === 'stream' ? content : loaded(content) },
    errors: [...streamErrors, 'not_found', ...errors],
    handle: async (context, asked) => {
      const { request, path: given, ...input } = asked
      const search = new URL(request.url).searchParams
      const sent = { ...input, search, parameters: given, headers: request.headers }
      const planned = await plan.plan(sent)
      return carryOut(context, request, protocol, planned)
    },
  })
}

/** The schemas of a protocol are loaded with its code. */
function loaded<Output>(schema: StandardSchema<Output>): LazySchema<Output> {
  return () => Promise.resolve(schema)
}
