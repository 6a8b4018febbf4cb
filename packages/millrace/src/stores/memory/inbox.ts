import {
  checkKey,
  type Claim,
  type Command,
  type CommandChange,
  inboxFull,
  MAX_PENDING,
  type NewCommand,
  type Submission,
} from '../port/index.ts'
import { type MemoryClaims, takeClaim } from './claims.ts'

/** Inbox and claims of a session. */
export interface MemoryInbox {
  readonly version: () => number
  readonly pending: () => readonly Command[]
  get(key: string): Command | undefined
  /** Lists commands with a `seq` above `after` and at most `after + limit`. */
  list(after: number, limit: number): readonly Command[]
  /** Adds or replaces commands for the writer of the session. Does not change the version. */
  change(changes: readonly CommandChange[]): void
  submit(command: NewCommand): Submission
  settle(command: NewCommand): boolean
  claim(name: string, holder: string, ms: number): Claim
}

/** Creates an empty inbox. */
export function createMemoryInbox(session: string, now: () => number): MemoryInbox {
  // Keys of a Map keep their insertion order, which is the order of `seq`.
  const commands = new Map<string, Command>()
  const pending = new Map<string, Command>()
  const claims: MemoryClaims = new Map()
  let version = 0

  const put = ({ key, body, isPending }: CommandChange): Command => {
    const seq = commands.get(key)?.seq ?? commands.size + 1
    const command = { seq, key, body, isPending }
    commands.set(key, command)
    if (isPending) pending.set(key, command)
    else pending.delete(key)
    return command
  }

  return {
    version: () => version,
    pending: () => [...pending.values()].sort((a, b) => a.seq - b.seq),
    get: (key) => commands.get(key),
    list: (after, limit) => [...commands.values()].slice(after, after + limit),

    change: (changes) => {
      for (const { key } of changes) checkKey(key)
      for (const change of changes) put(change)
    },

    submit: (given) => {
      checkKey(given.key)
      const known = commands.get(given.key)
      if (known !== undefined) return { command: known, isNew: false }
      if (pending.size >= MAX_PENDING) throw inboxFull(session)
      version += 1
      return { command: put({ ...given, isPending: true }), isNew: true }
    },

    settle: ({ key, body }) => {
      if (!pending.has(key)) return false
      version += 1
      put({ key, body, isPending: false })
      return true
    },

    claim: (name, holder, ms) => takeClaim(claims, name, { holder, ms, at: now() }),
  }
}
