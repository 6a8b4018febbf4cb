import { badRequest, checkOptions } from '../../errors/index.ts'
import type { Caller } from '../access/caller.ts'
import { prepareDecisions, prepareResults } from '../actions/answer-calls.ts'
import {
  removeSession,
  renameSession,
  steerSession,
  stopSession,
  withdrawPrompt,
} from '../actions/control-session.ts'
import { createFork } from '../actions/fork-session.ts'
import { openStream } from '../actions/open-stream.ts'
import { listSessions, readSessionState } from '../actions/read-sessions.ts'
import { type PreparedRun, prepareRun, startCounted } from '../actions/run-agent.ts'
import { shareSession, unshareSession } from '../actions/share-session.ts'
import {
  decodeParameter,
  decodeWith,
  requestSchemas,
  sessionParameter,
} from '../requests/decode-body.ts'
import { deriveSession } from '../requests/message-key.ts'
import type { RunBody } from '../requests/request-bodies.ts'
import type { ServerContext } from '../server-context.ts'
import { findUsedSession, headOf } from '../sessions/load-session.ts'
import { rootAgentOf } from '../sessions/session-record.ts'
import { optionTypes } from './option-types.ts'
import { readEvents } from './read-events.ts'
import { createRunHandle, type RunHandle } from './run-handle.ts'
import {
  type SessionState,
  type SessionStateView,
  toSessionList,
  toSessionState,
} from './session-values.ts'
import type { RunCommandOptions, SendOptions, Sessions, StartOptions } from './sessions.ts'
import { numberOf, stopRun } from './stop-run.ts'

/** Creates the commands of a caller in this process. */
export function createSessions(context: ServerContext, caller: Caller): Sessions {
  return {
    ...createRunCommands(context, caller),
    ...createControls(context, caller),
    ...createReads(context, caller),
  }
}

type RunCommands = Pick<Sessions, 'start' | 'send' | 'answer' | 'approve' | 'deny'>

function createRunCommands(context: ServerContext, caller: Caller): RunCommands {
  const begin = (prepared: PreparedRun, options: RunCommandOptions) =>
    startRun(context, caller, prepared, options)
  const decide = async (
    session: string,
    decision: object,
    options: RunCommandOptions,
  ): Promise<RunHandle> => {
    const body = { message_id: options.key, agent_uuid: session, approvals: [decision] }
    const sent = await decodeWith(async () => (await requestSchemas()).approvalsBody, body)
    return begin(await prepareDecisions(context, caller, sent), options)
  }
  return {
    start: async (prompt, options = {}) => {
      checkOptions('start', options, optionTypes.start)
      const session = options.session ?? (await nameSession(caller, options))
      const body = await toRunBody(prompt, { ...options, ...(session && { session }) })
      return begin(await prepareRun(context, caller, body), options)
    },
    send: async (session, prompt, options = {}) => {
      checkOptions('send', options, optionTypes.send)
      const body = await toRunBody(prompt, { ...options, session: await toSessionId(session) })
      const prepared = await prepareRun(context, caller, body)
      await findUsedSession(context.store, prepared.session)
      return begin(prepared, options)
    },
    answer: async (session, callId, content, options = {}) => {
      checkOptions('answer', options, optionTypes.answer)
      const { key, agent, isError } = options
      const result = { tool_use_id: callId, agent, content, is_error: isError }
      const body = { message_id: key, agent_uuid: session, tool_results: [result] }
      const sent = await decodeWith(async () => (await requestSchemas()).resultsBody, body)
      return begin(await prepareResults(context, caller, sent), options)
    },
    approve: async (session, callId, options = {}) => {
      checkOptions('approve', options, optionTypes.approve)
      const { agent, input, inputHash: input_hash } = options
      const decision = { tool_use_id: callId, agent, decision: 'approve', input, input_hash }
      return decide(session, decision, options)
    },
    deny: async (session, callId, options = {}) => {
      checkOptions('deny', options, optionTypes.deny)
      const { agent, reason } = options
      const decision = { tool_use_id: callId, agent, decision: 'refuse', reason }
      return decide(session, decision, options)
    },
  }
}

/** Derives the id of a new session from the key of its prompt, so that a repeated start finds it. Each owner has keys of its own. */
async function nameSession(caller: Caller, { key }: StartOptions): Promise<string | undefined> {
  if (key === undefined) return undefined
  const findOwner = async () => (await caller.identify()).owner
  return deriveSession('start', findOwner, `key ${key}`)
}

function toRunBody(
  prompt: unknown,
  { session, agent, key, whenBusy, toolInput }: StartOptions & SendOptions,
): Promise<RunBody> {
  return decodeWith(async () => (await requestSchemas()).runBody, {
    message_id: key,
    when_busy: whenBusy,
    agent_uuid: session,
    agent_type: agent,
    tool_input: toolInput,
    user_prompt: prompt,
  })
}

/** Starts a prepared run; resolves with its handle. */
async function startRun(
  context: ServerContext,
  caller: Caller,
  prepared: PreparedRun,
  { signal }: RunCommandOptions,
): Promise<RunHandle> {
  const { quotaKey } = await caller.identify()
  const range = await startCounted(context, quotaKey, prepared)
  const { session } = prepared
  const number = await numberOf(context, range)
  const key = range.queued?.messageId ?? prepared.key?.messageId
  return createRunHandle({
    session,
    key,
    range,
    read: () =>
      readEvents(context, { session, open: () => Promise.resolve(range), caller, signal }),
    findRoot: async () => rootAgentOf(session, headOf(await context.store.info(session))),
    readState: () => readState(context, caller, session),
    stop: () => stopRun(context, caller, { session, key, number }),
  })
}

async function readState(
  context: ServerContext,
  caller: Caller,
  session: string,
): Promise<SessionState> {
  const { json } = await readSessionState(context, caller, session)
  return toSessionState(JSON.parse(json) as SessionStateView)
}

type Controls = Pick<
  Sessions,
  'stop' | 'steer' | 'withdraw' | 'fork' | 'rename' | 'share' | 'unshare' | 'delete'
>

function createControls(context: ServerContext, caller: Caller): Controls {
  return {
    stop: async (session, options = {}) => {
      checkOptions('stop', options, optionTypes.stop)
      const id = await toSessionId(session)
      const { key: message_id, agent } = options
      const schema = async () => (await requestSchemas()).stopBody
      return stopSession(context, caller, id, await decodeWith(schema, { message_id, agent }))
    },
    steer: async (session, prompt, options = {}) => {
      checkOptions('steer', options, optionTypes.steer)
      const id = await toSessionId(session)
      const { key: message_id, agent } = options
      const schema = async () => (await requestSchemas()).steerBody
      const body = await decodeWith(schema, { message_id, user_prompt: prompt, agent })
      await steerSession(context, caller, id, body)
    },
    withdraw: async (session, key) =>
      withdrawPrompt(context, caller, await toSessionId(session), key),
    fork: async (session, options = {}) => {
      checkOptions('fork', options, optionTypes.fork)
      const id = await toSessionId(session)
      const { key: message_id, after, title } = options
      const schema = async () => (await requestSchemas()).forkBody
      const body = await decodeWith(schema, { message_id, after, title })
      return createFork(context, caller, id, body)
    },
    rename: async (session, title, options = {}) => {
      checkOptions('rename', options, optionTypes.rename)
      const id = await toSessionId(session)
      const schema = async () => (await requestSchemas()).renameBody
      const body = await decodeWith(schema, { message_id: options.key, title })
      await renameSession(context, caller, id, body)
    },
    share: async (session, options = {}) => {
      checkOptions('share', options, optionTypes.share)
      const id = await toSessionId(session)
      const schema = async () => (await requestSchemas()).shareBody
      const body = await decodeWith(schema, { expires_in: options.expiresIn })
      const { token, expiresAt } = await shareSession(context, caller, id, body.expires_in)
      return { token, expiresAt: new Date(expiresAt).toISOString() }
    },
    unshare: async (session) => unshareSession(context, caller, await toSessionId(session)),
    delete: async (session) => removeSession(context, caller, await toSessionId(session)),
  }
}

/** Validates the id of a session. */
function toSessionId(session: string): Promise<string> {
  return decodeParameter(sessionParameter, session)
}

function createReads(
  context: ServerContext,
  caller: Caller,
): Pick<Sessions, 'list' | 'read' | 'events'> {
  return {
    list: async (options = {}) => {
      checkOptions('list', options, optionTypes.list)
      const query = Object.entries(options).map(([name, value]) => [name, String(value)])
      const schema = async () => (await requestSchemas()).sessionsQuery
      const range = await decodeWith(schema, Object.fromEntries(query))
      return toSessionList(await listSessions(context, caller, range))
    },
    read: async (session) => readState(context, caller, await toSessionId(session)),
    events: (session, options = {}) => {
      checkOptions('events', options, optionTypes.events)
      const { after = 0, follow: follows = false, signal } = options
      if (!Number.isSafeInteger(after) || after < 0)
        throw badRequest(`\`after\` is ${after}; it must be the id of a frame, or 0.`)
      const isResumed = after > 0
      const open = async () => {
        const id = await toSessionId(session)
        await caller.check('read', id)
        return openStream(context, { session: id, cursor: { after }, follows })
      }
      const read = () => readEvents(context, { session, open, follows, isResumed, caller, signal })
      return { [Symbol.asyncIterator]: read }
    },
  }
}
