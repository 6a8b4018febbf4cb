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
import type { SessionKeys } from '../keys.ts'
import { toPartChange } from './read-parts.ts'
import type { RedisContext } from '../create-redis-context.ts'
import {
  FIRST_DETAIL,
  numberAt,
  type Reply,
  type SessionState,
  stateOf,
  statusOf,
  textAt,
} from '../reply.ts'
import { type PreparedScript, prepareScript, runPrepared } from '../connection/run-script.ts'
import { createUnknownOutcomes } from '../../remote/index.ts'
import { append } from '../scripts/log.ts'
import { logTruncated } from '../connection/store-errors.ts'
import type { Argument } from '../connection/wire-command.ts'

type AppendLines = (append: Append) => Promise<Appended>

/** Maximum number of frames trimmed at once. Each trim costs the same, so trimming with every append would double its cost. */
const LARGEST_BLOCK = 1_024

/** Creates the function that appends. It runs for each event of a run; most appends have only lines, so their path is kept short. */
export function createAppendLines(context: RedisContext, maxMessages: number): AppendLines {
  const { connection, lossDetector, waitLists, note } = context
  const prepare = createPrepare(context, maxMessages)
  const process = crypto.randomUUID()
  let count = 0
  const unknownOutcomes = createUnknownOutcomes(() => `${process}:${++count}`)

  const refuse = async (asked: Append, reply: Reply): Promise<never> => {
    if (statusOf(reply) !== 'truncated') await lossDetector.verify(asked.session)
    throw refusal(reply, asked)
  }

  return async (asked) => {
    const { session, lease, isQuiet } = asked
    check(asked)
    if (mayLeaveWaiting(asked)) await note(session, { isWaiting: true })
    const seen = lossDetector.lastKnown(session)
    const token = unknownOutcomes.toToken(asked)
    const changes = toChanges(asked)
    let reply: Reply
    try {
      const script = prepare(session, changes.length > 0)
      reply = await runPrepared(connection, script, toArguments(asked, seen, token, changes))
    } catch (error) {
      unknownOutcomes.add(asked, token)
      throw error
    }
    unknownOutcomes.settle(asked)
    const brief = toBrief(reply, seen)
    if (brief === undefined && statusOf(reply) !== 'ok') return refuse(asked, reply)
    const { state, inbox, owner } = brief ?? toFull(reply)
    // Available results are not awaited: that would cost one turn of the microtasks for each event.
    const isLost = lossDetector.record(session, state)
    if (typeof isLost !== 'boolean') await isLost
    waitLists.append(session, state.tail, state.log)
    const ms = typeof lease === 'object' ? lease.ms : undefined
    const change = isQuiet === true ? undefined : 'write'
    const noted = note(session, { change, owner, lease: ms })
    if (noted !== undefined) await noted
    return { tail: state.tail, inbox }
  }
}

/** Creates the function that prepares the script for a session, with the keys of its log or with all its keys. */
function createPrepare(
  { keys, shared }: RedisContext,
  maxMessages: number,
): (session: string, isWhole: boolean) => PreparedScript {
  const block = Math.min(LARGEST_BLOCK, Math.ceil(maxMessages / 8))
  // Entries live as long as the cached keys of the session.
  const prepared = new WeakMap<SessionKeys, PreparedScript>()

  const prepareFor = (session: string, names: readonly string[]): PreparedScript => {
    const { channel } = keys.session(session)
    const [sessions, leases, waiting] = shared
    const all = [...names, sessions, leases, waiting].filter((key) => key !== undefined)
    return prepareScript(append, all, [names.length, session, channel, maxMessages, block])
  }

  return (session, isWhole) => {
    const names = keys.session(session)
    const { meta, log, parts, numbers, inbox, pending, history, conversations } = names
    if (isWhole)
      return prepareFor(session, [
        meta,
        log,
        parts,
        numbers,
        inbox,
        pending,
        history,
        conversations,
      ])
    const known = prepared.get(names)
    if (known !== undefined) return known
    const made = prepareFor(session, [meta, log])
    prepared.set(names, made)
    return made
  }
}

function check({ head, commands }: Append): void {
  checkHead(head)
  if (commands !== undefined) for (const { key } of commands) checkKey(key)
}

/** Returns the arguments that differ between appends. */
function toArguments(
  { epoch, tail, lines, log, inbox }: Append,
  seen: SessionState | undefined,
  token: string,
  changes: readonly Argument[],
): Argument[] {
  const isSeen = seen?.epoch === epoch
  const writer = isSeen ? seen.writer : ''
  const writes = isSeen ? seen.writes : 0
  const args: Argument[] = [
    epoch,
    writer,
    tail,
    token,
    log ?? '',
    inbox ?? '',
    writes,
    changes.length / 3,
    ...changes,
  ]
  for (const line of lines) args.push(toBuffer(line))
  return args
}

interface Outcome {
  readonly state: SessionState
  readonly inbox: number
  readonly owner: string | undefined
}

/** Decodes the reply for a known writer, which has only changed numbers. */
function toBrief(reply: Reply, seen: SessionState | undefined): Outcome | undefined {
  const [tail, writes, inbox] = reply
  if (seen === undefined || typeof tail !== 'number') return undefined
  const { epoch, writer, log } = seen
  const state = { epoch, writer, tail, log, writes: Number(writes) }
  return { state, inbox: Number(inbox), owner: textAt(reply, 3) }
}

function toFull(reply: Reply): Outcome {
  const owner = textAt(reply, FIRST_DETAIL + 1)
  return { state: stateOf(reply), inbox: numberAt(reply, FIRST_DETAIL), owner }
}

/** Whether a session may have pending commands and no lease only after an append. */
function mayLeaveWaiting({ lease, commands }: Append): boolean {
  return lease === 'release' || (commands?.some(({ isPending }) => isPending) ?? false)
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

/** Encodes each change as three arguments: its kind and two values. */
function toChanges({ head, parts = [], commands = [], lease, isQuiet }: Append): Argument[] {
  const changes: Argument[] = isQuiet === true ? ['quiet', '', ''] : []
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
