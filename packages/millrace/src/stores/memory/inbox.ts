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

/** The inbox of a session in memory. */
export type MemoryInbox = ReturnType<typeof createMemoryInbox>

/** Creates the inbox of a session. */
export function createMemoryInbox(session: string, now: () => number) {
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
    version: (): number => version,
    pending: (): readonly Command[] => [...pending.values()].sort((a, b) => a.seq - b.seq),
    get: (key: string): Command | undefined => commands.get(key),
    /** Lists commands with a `seq` above `after` and at most `after + limit`. */
    list: (after: number, limit: number): readonly Command[] =>
      [...commands.values()].slice(after, after + limit),

    /** Adds or replaces commands for the writer of the session. Does not change the version. */
    change: (changes: readonly CommandChange[]) => {
      for (const { key } of changes) checkKey(key)
      for (const change of changes) put(change)
    },

    submit: (given: NewCommand): Submission => {
      checkKey(given.key)
      const known = commands.get(given.key)
      if (known !== undefined) return { command: known, isNew: false }
      if (pending.size >= MAX_PENDING) throw inboxFull(session)
      version += 1
      return { command: put({ ...given, isPending: true }), isNew: true }
    },

    settle: ({ key, body }: NewCommand): boolean => {
      if (!pending.has(key)) return false
      version += 1
      put({ key, body, isPending: false })
      return true
    },

    claim: (name: string, holder: string, ms: number): Claim =>
      takeClaim(claims, name, { holder, ms, at: now() }),
  }
}

/** Claims by name. */
export type MemoryClaims = Map<string, { readonly holder: string; readonly until: number }>

/** Takes a claim, unless another holder's claim has not lapsed. A duration of 0 releases it. Deletes lapsed claims, to limit their number. */
export function takeClaim(
  claims: MemoryClaims,
  name: string,
  { holder, ms, at }: { readonly holder: string; readonly ms: number; readonly at: number },
): Claim {
  for (const [other, { until }] of claims) if (until <= at) claims.delete(other)
  const held = claims.get(name)
  if (held !== undefined && held.holder !== holder)
    return { holder: held.holder, remainingMs: held.until - at }
  if (ms > 0) claims.set(name, { holder, until: at + ms })
  else claims.delete(name)
  return { holder, remainingMs: ms }
}
