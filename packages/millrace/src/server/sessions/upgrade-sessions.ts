import { type PendingCalls, wrapOldState } from '../../agent/port/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { AnnouncedCall } from '../../events/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../../json/index.ts'
import type { CommandChange, PartChange, SessionInfo, Store } from '../../stores/port/index.ts'
import { toReceipts } from '../commands/receipts.ts'
import { toRequestKey } from '../requests/message-key.ts'
import { RecordWriter, toPartChange } from './record-writer.ts'
import type { StoredSession } from './session-record.ts'
import { encodeTimes } from '../runs/run-times.ts'

/** The part that holds the whole record of a session that version 0.1.0 wrote. */
const OLD_RECORD = { collection: 'record', number: 1 }

/** A session as version 0.1.0 stored it; its summary, stored separately, becomes the head. */
type OldSession = Omit<StoredSession, 'version' | 'checkpoint'> & {
  readonly version: 1
  readonly state?: OldState
  readonly times?: readonly number[]
  /** Stored for a while after 0.1.0; now read from the log. */
  readonly decisions?: readonly number[]
  /** Prompts of AG-UI by the ids of their requests. */
  readonly requests?: readonly {
    readonly id: string
    readonly run: number
    readonly firstId: number
  }[]
  readonly promptKey?: string
}

/** The fields of a version 0.1.0 state with its pending calls. */
interface OldState {
  readonly agent: string
  readonly pause?: {
    readonly calls: readonly AnnouncedCall[]
    readonly approvals: readonly AnnouncedCall[]
  }
  readonly turn?: {
    readonly results: readonly JsonObject[]
    readonly answers?: readonly JsonObject[]
    readonly decisions?: JsonObject
    readonly spawned?: Readonly<Record<string, string>>
  }
  readonly children?: Readonly<Record<string, OldState>>
}

/** Wraps a store so that sessions of version 0.1.0 are converted when they are first read. */
export function withUpgrades(store: Store): Store {
  const look = async (session: string): Promise<SessionInfo | undefined> => {
    const info = await store.info(session)
    if (info?.head === undefined || isPresent(info.head)) return info
    await upgrade(store, info)
    return look(session)
  }
  return {
    ...store,
    info: look,
    open: async (session, lease, epoch, owner) => {
      const info = await store.open(session, lease, epoch, owner)
      if (info.head === undefined || isPresent(info.head)) return info
      await write(store, info)
      return (await store.info(session)) ?? info
    },
    list: async (range) => {
      const { rows, total } = await store.list(range)
      const toRow = (row: (typeof rows)[number]) =>
        row.head === undefined || isPresent(row.head) ? row : { ...row, head: toHead(row.head) }
      return { rows: rows.map(toRow), total }
    },
  }
}

function isPresent(head: string): boolean {
  // All servers except those of version 0.1.0 write it first, so the rest of a long text need not be searched.
  return head.startsWith('{"version":')
}

/** Converts a summary for a list, which needs no more of a head. */
function toHead(summary: string): string {
  return JSON.stringify({ version: 2, ...parseJsonObject(summary) })
}

/** Converts a session as its writer; a lost run stays lost. */
async function upgrade(store: Store, info: SessionInfo): Promise<void> {
  const { session, epoch, lease } = info
  if (lease?.hasLapsed === false) {
    throw new MillraceError(
      'store_unavailable',
      `Session ${session} is run by a server of an older version. Stop that server, or wait for the end of the run.`,
    )
  }
  try {
    const lapsed = lease && { owner: lease.owner, ms: 1 }
    await write(store, await store.open(session, lapsed, epoch))
  } catch (error) {
    // Another request or another server has converted it.
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
  }
}

async function write(store: Store, { session, log, epoch, tail }: SessionInfo): Promise<void> {
  const { collection, number } = OLD_RECORD
  const [part] = await store.parts(session, collection, { after: number - 1, limit: 1 }, log)
  const old: unknown = part?.number === number ? JSON.parse(part.body) : undefined
  if (!isJsonObject(old) || old['version'] !== 1) {
    const { head } = (await store.info(session)) ?? {}
    if (head !== undefined && isPresent(head))
      throw new MillraceError('lease_lost', `Another server has converted session ${session}.`)
    throw new MillraceError(
      'unsupported',
      `Session ${session} was stored by another version of the server; start a new one.`,
    )
  }
  const {
    times = [],
    requests = [],
    state,
    decisions: _,
    promptKey: _key,
    ...rest
  } = old as unknown as OldSession
  const pending = state && pendingOf(state)
  const stored: StoredSession = { ...rest, ...(pending && { pending }), version: 2 }
  const { recordedAt: frame } = stored
  const { head, parts } = new RecordWriter().encode(stored, frame)
  const states = state === undefined ? [] : wrapOldState(state)
  const gone: PartChange = { ...OLD_RECORD, body: null }
  const changes = [
    ...states.map((one) => toPartChange(one, frame)),
    ...parts,
    ...encodeTimes(times, frame),
    gone,
  ]
  const commands: CommandChange[] = []
  for (const { id, run, firstId } of requests) {
    const [receipt] = toReceipts(
      { key: await toRequestKey('ag-ui', id), digest: '' },
      { run, first: firstId },
    )
    if (receipt !== undefined) commands.push(receipt)
  }
  const changed = { head, parts: changes, commands, isQuiet: true } as const
  await store.append({ session, log, epoch, tail, lines: [], ...changed })
}

/** Returns the pending calls of an agent and of the sub-agents of its open calls. */
function pendingOf({ agent, pause, turn, children = {} }: OldState): PendingCalls {
  const { results = [], answers = [], decisions = {}, spawned = {} } = turn ?? {}
  const hasOne = (blocks: readonly JsonObject[], id: string) =>
    blocks.some((block) => block['tool_use_id'] === id)
  const below = Object.entries(spawned).flatMap(([call, id]) => {
    const child = hasOne(results, call) ? undefined : children[id]
    return child === undefined ? [] : [pendingOf(child)]
  })
  const own = (calls: readonly AnnouncedCall[] = []) => calls.map((call) => ({ ...call, agent }))
  return {
    calls: [
      ...own(pause?.calls).filter(({ id }) => !hasOne(answers, id)),
      ...below.flatMap(({ calls }) => calls),
    ],
    approvals: [
      ...own(pause?.approvals).filter(({ id }) => !Object.hasOwn(decisions, id)),
      ...below.flatMap(({ approvals }) => approvals),
    ],
  }
}
