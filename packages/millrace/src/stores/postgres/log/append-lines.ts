import type { MillraceError } from '../../../errors/index.ts'
import {
  type Append,
  type Appended,
  checkHead,
  checkKey,
  inboxDiffers,
  leaseLost,
  sessionUnknown,
  storeClosed,
  tailDiffers,
} from '../../port/index.ts'
import { encodeGroup, type Job, toJob } from './encode-group.ts'
import { createUnknownOutcomes } from '../../remote/index.ts'
import { isOfValues } from '../connection/store-errors.ts'
import { checkName, numberAt, type Row, textAt } from '../values.ts'

interface AppenderOptions {
  /** Sends a group; repeats it after a connection failure. */
  readonly send: (values: readonly unknown[]) => Promise<readonly Row[]>
  readonly maxMessages: number
  readonly onStored: (session: string, tail: number) => void
}

interface Waiting {
  readonly job: Job
  resolve(appended: Appended): void
  reject(error: unknown): void
}

/** Maximum size of a group, which bounds its duration. */
const MAX_GROUP = 1_024
const MAX_GROUP_BYTES = 4_194_304

/**
 * Maximum number of frames that are trimmed at once. Trimming costs the same for each block, so trimming with every append would double its
 * cost.
 */
const LARGEST_BLOCK = 1_024

/** Creates the group-commit writer. While a group is being sent, the next one collects appends, without further delay. */
export function createAppender({ send, maxMessages, onStored }: AppenderOptions) {
  const bounds = [maxMessages, Math.min(LARGEST_BLOCK, Math.ceil(maxMessages / 8))]
  const unknownOutcomes = createUnknownOutcomes(createTokens().next)
  let queue: Waiting[] = []
  let flight: Promise<void> | undefined
  let isClosed = false

  const settle = ({ job, resolve, reject }: Waiting, row: Row): void => {
    const { asked } = job
    unknownOutcomes.settle(asked)
    if (textAt(row, 0) !== 'ok') return reject(refusal(asked, row))
    const appended = { tail: numberAt(row, 2), inbox: numberAt(row, 3) }
    if (asked.lines.length > 0) onStored(asked.session, appended.tail)
    resolve(appended)
  }

  const store = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const rows = await send([...encodeGroup(group.map(({ job }) => job)), ...bounds])
      group.forEach((waiting, index) => settle(waiting, rows[index] ?? []))
    } catch (error) {
      // One append cannot be stored. Sent separately, the others can.
      if (group.length > 1 && isOfValues(error)) for (const one of group) await store([one])
      else
        for (const { job, reject } of group) {
          unknownOutcomes.add(job.asked, job.token)
          reject(error)
        }
    }
  }

  const drain = async (): Promise<void> => {
    // Appends of the same turn of the event loop join one group.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      const [group, left] = takeGroup(queue)
      queue = left
      await store(group)
    }
    flight = undefined
  }

  return {
    append: (asked: Append): Promise<Appended> =>
      new Promise((resolve, reject) => {
        if (isClosed) throw storeClosed()
        check(asked)
        queue.push({ job: toJob(asked, unknownOutcomes.toToken(asked)), resolve, reject })
        flight ??= drain()
      }),
    /** Rejects new appends, and resolves when all accepted ones are stored or rejected. */
    close: async () => {
      isClosed = true
      await flight
    },
  }
}

/** Takes one append of each session, because each depends on the result of the previous one. Also returns the others. */
function takeGroup(queue: readonly Waiting[]): [group: Waiting[], left: Waiting[]] {
  const sessions = new Set<string>()
  const group: Waiting[] = []
  const left: Waiting[] = []
  let bytes = 0
  for (const waiting of queue) {
    const { session } = waiting.job.asked
    const isFull = group.length >= MAX_GROUP || bytes + waiting.job.bytes > MAX_GROUP_BYTES
    if (sessions.has(session) || (isFull && group.length > 0)) left.push(waiting)
    else {
      group.push(waiting)
      bytes += waiting.job.bytes
    }
    sessions.add(session)
  }
  return [group, left]
}

function check({ session, head, parts = [], commands = [] }: Append): void {
  checkName(session)
  checkHead(head)
  for (const { collection } of parts) checkName(collection)
  for (const { key } of commands) checkKey(key)
}

function refusal(asked: Append, row: Row): MillraceError {
  const { session, epoch, tail, inbox = 0 } = asked
  const outcome = textAt(row, 0)
  if (outcome === 'fenced') return leaseLost(session, epoch, numberAt(row, 1))
  if (outcome === 'moved') return tailDiffers(session, tail, numberAt(row, 2))
  if (outcome === 'inbox') return inboxDiffers(session, inbox, numberAt(row, 3))
  return sessionUnknown(session)
}

/** Generates tokens: UUIDs whose first part identifies the process and whose rest is a counter. */
export type Tokens = ReturnType<typeof createTokens>

/** Creates the tokens of a store. A random token for each append would cost more than a counter. */
export function createTokens() {
  const own = crypto.randomUUID().slice(0, 24)
  let count = 0
  return {
    next: (): string => own + (++count).toString(16).padStart(12, '0'),
  }
}
