import { createHash } from 'node:crypto'
import type { MillraceError } from '../../../errors/index.ts'
import {
  type Append,
  type Appended,
  checkHead,
  checkKey,
  inboxDiffers,
  leaseLost,
  sessionUnknown,
  tailDiffers,
} from '../../port/index.ts'
import type { Argument } from '../connection/connection.ts'
import { toPartChange } from './part-fields.ts'
import type { RedisContext } from '../redis-context.ts'
import { numberAt, type Reply, textAt } from '../reply.ts'
import { append } from '../scripts/index.ts'
import { FIRST_DETAIL, stateOf, statusOf } from '../sessions/session-state.ts'
import { logTruncated } from '../connection/store-errors.ts'

/** Stores appends. */
export type AppendLines = (append: Append) => Promise<Appended>

/** Trimming costs by the block, so that one that is due with every append would double its cost. */
const LARGEST_BLOCK = 1_024

/** So many appends whose outcome is not known are remembered, to know them again. */
const MAX_DOUBTS = 1_000

/** Builds what appends. */
export function createAppendLines(context: RedisContext, maxMessages: number): AppendLines {
  const { run, keys, witness, taps, shared, note } = context
  const block = Math.min(LARGEST_BLOCK, Math.ceil(maxMessages / 8))
  const process = crypto.randomUUID()
  const doubts = new Map<string, string>()
  let count = 0

  const toArguments = (asked: Append, channel: string, token: string): Argument[] => {
    const { session, epoch, tail, lines, log = '', inbox = '' } = asked
    const seen = witness.mark(session)
    const { writer, writes } = seen?.epoch === epoch ? seen : { writer: '', writes: 0 }
    const changes = toChanges(asked)
    const fence: Argument[] = [session, epoch, writer, tail, token, channel, maxMessages, block]
    return fence.concat(log, inbox, writes, changes.length / 3, changes, lines.map(toBuffer))
  }

  /** A caller that tries again what was in doubt gets the token that may have been stored. */
  const toToken = (asked: Append): string => {
    const known = doubts.size > 0 ? doubts.get(digest(asked)) : undefined
    return known ?? `${process}:${++count}`
  }

  const remember = (asked: Append, token: string): void => {
    doubts.set(digest(asked), token)
    const [oldest] = doubts.keys()
    if (doubts.size > MAX_DOUBTS && oldest !== undefined) doubts.delete(oldest)
  }

  return async (asked) => {
    const { session, lease, commands = [] } = asked
    checkHead(asked.head)
    for (const { key } of commands) checkKey(key)
    const { meta, log, parts, numbers, inbox, pending, ...others } = keys.session(session)
    const { history, conversations, channel } = others
    if (mayLeaveWaiting(asked)) await note(session, { isWaiting: true })
    const token = toToken(asked)
    const reply = await run(
      append,
      [meta, log, parts, numbers, inbox, pending, history, conversations, ...shared],
      toArguments(asked, channel, token),
    ).catch((error: unknown) => {
      remember(asked, token)
      throw error
    })
    if (doubts.size > 0) doubts.delete(digest(asked))
    const status = statusOf(reply)
    const state = stateOf(reply)
    if (status !== 'ok') {
      if (status !== 'truncated') await witness.doubt(session)
      throw refusal(reply, asked)
    }
    await witness.see(session, state)
    taps.advance(session, state.tail, state.log)
    const owner = textAt(reply, FIRST_DETAIL + 1)
    const noted = typeof lease === 'object' ? lease.ms : lease
    await note(session, { change: 'write', owner, lease: noted })
    return { tail: state.tail, inbox: numberAt(reply, FIRST_DETAIL) }
  }
}

/** Tells whether a session may have pending commands and no lease after an append, but not before. */
function mayLeaveWaiting({ lease, commands = [] }: Append): boolean {
  return lease === 'release' || commands.some(({ isPending }) => isPending)
}

function refusal(reply: Reply, { session, epoch, tail, inbox = 0 }: Append): MillraceError {
  const status = statusOf(reply)
  const state = stateOf(reply)
  if (status === 'truncated') return logTruncated(session, state.tail)
  if (status === 'fenced') return leaseLost(session, epoch, state.epoch)
  if (status === 'moved') return tailDiffers(session, tail, state.tail)
  if (status === 'unseen') return inboxDiffers(session, inbox, numberAt(reply, FIRST_DETAIL))
  return sessionUnknown(session)
}

/** Each change as three arguments: what it is, and what it is made with. */
function toChanges({ head, parts = [], commands = [], lease }: Append): Argument[] {
  const changes: Argument[] = []
  if (head !== undefined) changes.push('head', head, '')
  for (const part of parts) changes.push(...toPartChange(part))
  for (const { key, body, isPending } of commands)
    changes.push(isPending ? 'pending' : 'settled', key, body)
  if (lease === 'release') changes.push('lease', '', '')
  else if (lease !== undefined) changes.push('lease', lease.owner, lease.ms)
  return changes
}

function toBuffer(line: Uint8Array): Buffer {
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength)
}

function digest({ session, epoch, tail, lines, head, parts, commands }: Append): string {
  const hash = createHash('sha1')
  const lengths = lines.map((line) => line.length)
  hash.update(JSON.stringify([session, epoch, tail, head, parts, commands, lengths]))
  for (const line of lines) hash.update(line)
  return hash.digest('hex')
}
