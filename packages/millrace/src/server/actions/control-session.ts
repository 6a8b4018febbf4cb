import { MillraceError } from '../../errors/index.ts'
import type { Caller } from '../access/caller.ts'
import { resolveUploads } from '../files/uploads.ts'
import { readMessageKey } from '../requests/message-key.ts'
import type { RenameBody, SteerBody, StopBody } from '../requests/request-bodies.ts'
import type { ServerContext } from '../server-context.ts'
import { findUsedSession } from '../sessions/load-session.ts'
import { maskAgent } from '../views/viewed-answers.ts'

/** Stops the run of a session, or one of its agents; false if there was none to stop. */
export async function stopSession(
  context: ServerContext,
  caller: Caller,
  session: string,
  body: StopBody,
): Promise<boolean> {
  await caller.check('stop', session)
  const agent = maskAgent(body.agent, await caller.viewOf(session))
  const key = await readMessageKey(caller, { ...body, type: 'stop' })
  return context.runs.stop(session, agent, key)
}

/** Sends a message to the active run, or to one of its agents; throws `conflict` if none can receive it. */
export async function steerSession(
  context: ServerContext,
  caller: Caller,
  session: string,
  body: SteerBody,
): Promise<void> {
  const { store, runs, limits } = context
  const { context: sender } = await caller.check('steer', session)
  await findUsedSession(store, session)
  const maxBytes = limits.maxUploadBytes
  const prompt = await resolveUploads(body.user_prompt, { store, session, maxBytes })
  const agent = maskAgent(body.agent, await caller.viewOf(session))
  const key = await readMessageKey(caller, { ...body, type: 'steer' })
  if (await runs.steer(session, prompt, { agent, key, context: sender })) return
  throw new MillraceError(
    'conflict',
    'No active run or agent can receive this message; send it as a new prompt with POST /agent/run.',
  )
}

/** Withdraws a prompt from the queue before it starts. */
export async function withdrawPrompt(
  { runs }: ServerContext,
  caller: Caller,
  session: string,
  messageId: string,
): Promise<void> {
  await caller.check('run', session)
  await runs.withdraw(session, messageId)
}

/** Renames a session. */
export async function renameSession(
  { runs }: ServerContext,
  caller: Caller,
  session: string,
  body: RenameBody,
): Promise<void> {
  await caller.check('rename', session)
  await runs.rename(session, body.title, await readMessageKey(caller, { ...body, type: 'rename' }))
}

/** Removes a session with its log, its history and its files. */
export async function removeSession(
  { runs }: ServerContext,
  caller: Caller,
  session: string,
): Promise<void> {
  await caller.check('delete', session)
  await runs.remove(session, caller.log)
}
