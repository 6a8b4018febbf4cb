import type { MillraceError } from '../../../errors/index.ts'
import {
  checkKey,
  type Claim,
  type Command,
  createLogId,
  inboxFull,
  logReplaced,
  MAX_PENDING,
  type NewCommand,
  sessionUnknown,
  type Submission,
} from '../../port/index.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { FIRST_DETAIL, numberAt, type Reply, stateOf, statusOf, textAt, toSeen } from '../reply.ts'
import { claim, commands, settle, submit } from '../scripts/inbox.ts'
import { logTruncated } from '../connection/store-errors.ts'

/** Stores a pending command, unless the log has a command with its key. */
export async function submitCommand(
  context: RedisContext,
  session: string,
  { key, body }: NewCommand,
  log: string | undefined,
): Promise<Submission> {
  checkKey(key)
  const { run, keys, shared, note, lossDetector } = context
  const { meta, parts, numbers, inbox, pending, pins, channel } = keys.session(session)
  await note(session, { isWaiting: true })
  const about = [session, channel, key, body, crypto.randomUUID(), log ?? '', createLogId()]
  const reply = await run(
    submit,
    [meta, parts, numbers, inbox, pending, pins, ...shared],
    [...about, MAX_PENDING, ...toSeen(lossDetector.lastKnown(session))],
  )
  await admit(context, session, log, reply)
  const [seq, isPending] = [numberAt(reply, 6), numberAt(reply, 7) === 1]
  const command = { seq, key, body: textAt(reply, 8) ?? body, isPending }
  return { command, isNew: numberAt(reply, 9) === 1 }
}

/** Ends a pending command and replaces its body; false if no command with this key is pending. */
export async function settleCommand(
  context: RedisContext,
  session: string,
  { key, body }: NewCommand,
  log: string | undefined,
): Promise<boolean> {
  const { run, keys, shared, lossDetector } = context
  const { meta, inbox, pending, channel } = keys.session(session)
  const about = [session, channel, key, body, crypto.randomUUID(), log ?? '']
  const seen = toSeen(lossDetector.lastKnown(session))
  const reply = await run(settle, [meta, inbox, pending, ...shared], [...about, ...seen])
  await admit(context, session, log, reply)
  return numberAt(reply, FIRST_DETAIL) === 1
}

/** Lists the command with a key, the pending commands in the order of submission, or a range of numbers. */
export async function readCommands(
  { run, keys, lossDetector }: RedisContext,
  session: string,
  which: readonly [] | readonly [key: string] | readonly [after: number, upTo: number],
  log: string | undefined,
): Promise<readonly Command[]> {
  const { meta, inbox, pending } = keys.session(session)
  const reply = await run(commands, [meta, inbox, pending], [...which])
  const received = await lossDetector.receive(session, reply, log)
  if (received === undefined) return []
  if (statusOf(reply) === 'truncated') throw logTruncated(session, received.state.tail)
  const found: Command[] = []
  for (let at = FIRST_DETAIL; at < reply.length; at += 4)
    found.push({
      seq: numberAt(reply, at),
      key: textAt(reply, at + 1) ?? '',
      body: textAt(reply, at + 3) ?? '',
      isPending: numberAt(reply, at + 2) === 1,
    })
  return found.sort((a, b) => a.seq - b.seq)
}

/** Takes, renews or releases a claim. */
export async function claimFor(
  { run, keys, lossDetector }: RedisContext,
  session: string,
  name: string,
  holder: string,
  ms: number,
): Promise<Claim> {
  const { meta, claims } = keys.session(session)
  const reply = await run(claim, [meta, claims], [name, holder, ms])
  if (statusOf(reply) === 'ok')
    return { holder: textAt(reply, 1) ?? '', remainingMs: numberAt(reply, 2) }
  await lossDetector.verify(session)
  throw sessionUnknown(session)
}

/** Records the state in a reply, or throws the error of its status. */
async function admit(
  { lossDetector }: RedisContext,
  session: string,
  log: string | undefined,
  reply: Reply,
): Promise<void> {
  const status = statusOf(reply)
  const state = stateOf(reply)
  if (status === 'ok') {
    if (await lossDetector.record(session, state)) throw logTruncated(session, state.tail)
    return
  }
  if (status !== 'truncated') await lossDetector.verify(session)
  throw refusal(reply, session, log ?? '')
}

function refusal(reply: Reply, session: string, log: string): MillraceError {
  const status = statusOf(reply)
  const state = stateOf(reply)
  if (status === 'truncated') return logTruncated(session, state.tail)
  if (status === 'replaced') return logReplaced(session, log, { log: state.log })
  return status === 'full' ? inboxFull(session) : sessionUnknown(session)
}
