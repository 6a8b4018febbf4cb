import {
  type BranchPort,
  checkFork,
  checkHead,
  checkKey,
  checkOwner,
  type Command,
  type CommandChange,
  compareFork,
  cursorTrimmed,
  type FilePort,
  inboxDiffers,
  inboxFull,
  type InboxPort,
  isShared,
  joinParts,
  type Lease,
  leaseLost,
  type LeasePort,
  type LogPort,
  MAX_PENDING,
  type Part,
  type PartChange,
  type PartPort,
  type PartRange,
  type SeenSession,
  type SessionInfo,
  type SessionPort,
  type SessionRow,
  type Store,
  tailDiffers,
  type WakePort,
} from 'millrace/store'
import { toPage } from './keyed-page.ts'
import type { Session } from './session-file.ts'
import { type Folder, openFolder } from './session-folder.ts'

/** Keeps each session as one JSON file of a folder, for one process. */
export function createFileStore(path: string): Store {
  const folder = openFolder(path)
  return {
    isDurable: true,
    ...createSessionPort(folder),
    ...createLogPort(folder),
    ...createBranchPort(folder),
    ...createPartPort(folder),
    ...createInboxPort(folder),
    ...createLeasePort(folder),
    ...createFilePort(folder),
    ...createWakePort(),
    ping: async () => folder.check(),
    close: async () => folder.close(),
  }
}

function createSessionPort(folder: Folder): SessionPort {
  return {
    open: async (name, lease, epoch, owner = null) => {
      checkOwner(owner)
      const known = folder.get(name)
      const current = known?.epoch ?? 0
      if (epoch !== undefined && epoch !== current) throw leaseLost(name, epoch, current)
      return folder.change(folder.provide(name, owner), (copy) => {
        copy.epoch += 1
        copy.lease = lease && toLease(lease)
        if (known === undefined) copy.writtenAt = folder.tick()
        return toInfo(copy)
      })
    },

    info: async (name) => {
      const session = folder.get(name)
      return session && toInfo(session)
    },

    list: async ({ limit, offset, owner }) => {
      checkOwner(owner)
      const all = folder.all().filter((one) => owner === undefined || one.owner === owner)
      const rows = all.slice(offset, offset + limit).map(toRow)
      return { rows, total: all.length }
    },

    remove: async (name, seen) => {
      const session = folder.get(name)
      if (session === undefined || (seen !== undefined && !isSame(session, seen))) return false
      return folder.remove(name)
    },

    prune: async (idleMs, isKept = () => false) => {
      const before = Date.now() - idleMs
      const isIdle = ({ lease, writtenAt, head }: Session) =>
        lease === undefined && writtenAt <= before && !isKept(head)
      return folder.all().filter((one) => isIdle(one) && folder.remove(one.name)).length
    },
  }
}

function createLogPort({
  find,
  chain,
  isShared: hasBranches,
  change,
  tick,
  waiters,
}: Folder): LogPort {
  return {
    append: async (append) => {
      const { session: name, lease, head, parts = [], commands = [] } = append
      const session = find(name)
      checkHead(head)
      for (const { key } of commands) checkKey(key)
      compareWriter(session, append.epoch, append.log)
      const tail = tailOf(session)
      if (append.tail !== tail) throw tailDiffers(name, append.tail, tail)
      if (append.inbox !== undefined && append.inbox !== session.inbox)
        throw inboxDiffers(name, append.inbox, session.inbox)
      const stored = change(session, (copy) => {
        for (const line of append.lines) copy.lines.push(Buffer.from(line).toString('base64'))
        copy.head = head ?? copy.head
        for (const part of parts) putPart(copy, part)
        for (const command of commands) putCommand(copy, command)
        if (lease !== undefined) copy.lease = lease === 'release' ? undefined : toLease(lease)
        if (append.isQuiet !== true) copy.writtenAt = tick()
        return { tail: tailOf(copy), inbox: copy.inbox }
      })
      waiters.wake(name, stored.tail)
      return stored
    },

    read: async (name, after, limit, log) => {
      const session = find(name, log)
      if (after < session.earliest - 1) throw cursorTrimmed(after, session.earliest)
      return chain(session).flatMap(({ owner: { start, lines }, upTo }) => {
        const first = Math.max(after, start)
        const last = Math.max(first, Math.min(after + limit, upTo))
        return lines
          .slice(first - start, last - start)
          .map((line, index) => ({ id: first + index + 1, line: Buffer.from(line, 'base64') }))
      })
    },

    wait: async (name, after, signal, log) => {
      const session = find(name, log)
      if (signal.aborted || tailOf(session) <= after) await waiters.wait(name, after, signal)
    },

    trim: async (name, before, log) => {
      const session = find(name, log)
      change(session, (copy) => {
        copy.earliest = Math.max(copy.earliest, Math.min(before, tailOf(copy) + 1))
        const dropped = Math.max(0, copy.earliest - 1 - copy.start)
        if (hasBranches(session)) return
        copy.lines.splice(0, dropped)
        copy.start += dropped
      })
    },
  }
}

function createBranchPort({ get, find, all, chain, provide, change, tick }: Folder): BranchPort {
  return {
    fork: async (fork) => {
      const { from, log, frame, to, head, owner: ownedBy = null, parts = [], lease } = fork
      checkHead(head)
      checkOwner(ownedBy)
      const source = find(from, log)
      const logs = chain(source)
      // The oldest log that has the frame wrote it.
      const owner = logs.find(({ upTo }) => !(frame > upTo))?.owner ?? source
      const parent = { session: owner.name, log: owner.log, frame }
      const known = get(to)
      if (known !== undefined) {
        compareFork(fork, known.parent, parent)
        return toInfo(known)
      }
      const { earliest } = source
      checkFork(fork, { tail: tailOf(source), earliest, ancestors: chain(owner).length })
      return change({ ...provide(to, ownedBy), parent, start: frame, earliest }, (copy) => {
        copy.epoch = 1
        copy.lease = lease && toLease(lease)
        copy.head = head
        for (const part of parts) putPart(copy, part)
        copy.writtenAt = tick()
        return toInfo(copy)
      })
    },

    branches: async (name, limit, log) => {
      if (get(name) === undefined) return []
      const { log: own } = find(name, log)
      const found = all().flatMap(({ name: session, parent }) =>
        parent?.log === own ? { session, frame: parent.frame } : [],
      )
      return found.slice(0, limit)
    },
  }
}

function createPartPort({ get, find, chain }: Folder): PartPort {
  return {
    parts: async (name, collection, range, log) => {
      if (get(name) === undefined) return []
      const session = find(name, log)
      const logs = chain(session).slice(isShared(collection) ? 0 : -1)
      const lists = logs.map(({ owner, upTo }) =>
        inRange(
          owner.parts.filter((part) => part.collection === collection && part.frame <= upTo),
          range,
        ),
      )
      return joinParts(lists.reverse(), range)
    },
  }
}

function createInboxPort({ get, find, change, all }: Folder): InboxPort {
  const commandsOf = (name: string, log: string | undefined): readonly Command[] =>
    get(name) === undefined ? [] : find(name, log).commands
  return {
    submit: async (name, { key, body }, log) => {
      checkKey(key)
      const session = find(name, log)
      const known = session.commands.find((command) => command.key === key)
      if (known !== undefined) return { command: known, isNew: false }
      if (pendingOf(session).length >= MAX_PENDING) throw inboxFull(name)
      const command = change(session, (copy) => {
        copy.inbox += 1
        return putCommand(copy, { key, body, isPending: true })
      })
      return { command, isNew: true }
    },

    settle: async (name, { key, body }, log) => {
      const session = find(name, log)
      if (!pendingOf(session).some((command) => command.key === key)) return false
      change(session, (copy) => {
        copy.inbox += 1
        putCommand(copy, { key, body, isPending: false })
      })
      return true
    },

    command: async (name, key, log) => commandsOf(name, log).find((one) => one.key === key),

    pending: async (name, log) => commandsOf(name, log).filter(({ isPending }) => isPending),

    commands: async (name, after, limit, log) => commandsOf(name, log).slice(after, after + limit),

    unattended: async (limit, after) => {
      const waiting = all().flatMap((session) => {
        const { name, log, inbox, lease } = session
        const pending = pendingOf(session).length
        const isUnattended = lease === undefined && pending > 0
        return isUnattended ? { key: name, row: { session: name, log, inbox, pending } } : []
      })
      return toPage(waiting, limit, after)
    },

    claim: async (name, claim, holder, ms) => {
      const now = Date.now()
      const session = find(name)
      const held = session.claims.find((one) => one.name === claim && one.until > now)
      if (held !== undefined && held.holder !== holder)
        return { holder: held.holder, remainingMs: held.until - now }
      change(session, (copy) => {
        copy.claims = copy.claims.filter((one) => one.name !== claim && one.until > now)
        if (ms > 0) copy.claims.push({ name: claim, holder, until: now + ms })
      })
      return { holder, remainingMs: ms }
    },
  }
}

function createLeasePort({ find, change, all }: Folder): LeasePort {
  return {
    renew: async (name, epoch, lease, log) => {
      const session = find(name)
      compareWriter(session, epoch, log)
      if (session.lease !== undefined) change(session, (copy) => (copy.lease = toLease(lease)))
      return { inbox: session.inbox }
    },

    leases: async (limit, after) => {
      const held = all().flatMap(({ name, lease }) =>
        lease === undefined
          ? []
          : {
              // Times of today have 13 digits, so these keys sort by time.
              key: `${lease.until} ${name}`,
              row: { session: name, ...toHeld(lease) },
            },
      )
      return toPage(held, limit, after)
    },
  }
}

function createFilePort({ get, find, chain, change }: Folder): FilePort {
  /** The files of a session, also those that it shares, its own first. */
  const filesOf = (name: string) => {
    const session = get(name)
    const logs = session === undefined ? [] : chain(session).toReversed()
    return logs.flatMap(({ owner, upTo }) => owner.files.filter(({ tail }) => tail <= upTo))
  }
  return {
    putFile: async (name, { bytes, ...file }) =>
      change(find(name), (copy) => {
        const others = copy.files.filter(({ id }) => id !== file.id)
        const data = Buffer.from(bytes).toString('base64')
        copy.files = [...others, { ...file, data, tail: tailOf(copy) }]
      }),

    file: async (name, id) => {
      const found = filesOf(name).find((file) => file.id === id)
      if (found === undefined) return undefined
      const { data, tail: _, ...file } = found
      return { ...file, bytes: Buffer.from(data, 'base64') }
    },

    fileIds: async (name) => [...new Set(filesOf(name).map(({ id }) => id))],
  }
}

/** All who listen are in this process. */
function createWakePort(): WakePort {
  const listeners = new Set<(session: string, command: string) => void>()
  return {
    send: async (session, command) => listeners.forEach((listener) => listener(session, command)),
    onCommand: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Whether a session is as the caller has read it, without a lease. */
function isSame(session: Session, { log, epoch, tail, inbox }: SeenSession): boolean {
  const isWritten = log !== session.log || epoch !== session.epoch || tail !== tailOf(session)
  return session.lease === undefined && !isWritten && inbox === session.inbox
}

function compareWriter(session: Session, epoch: number, log = session.log): void {
  if (epoch === session.epoch && log === session.log) return
  throw leaseLost(session.name, epoch, session.epoch)
}

function putPart(session: Session, change: PartChange): void {
  session.parts = session.parts.filter(
    ({ collection, number }) => collection !== change.collection || number !== change.number,
  )
  if (change.body !== null) session.parts.push(change)
}

function putCommand({ commands }: Session, { key, body, isPending }: CommandChange): Command {
  const known = commands.find((command) => command.key === key)
  const command = { seq: known?.seq ?? commands.length + 1, key, body, isPending }
  commands[command.seq - 1] = command
  return command
}

/** Parts in a range, in its order. */
function inRange(parts: readonly Part[], range: PartRange): readonly Part[] {
  const found =
    'after' in range
      ? parts.filter(({ number }) => number > range.after).sort((a, b) => a.number - b.number)
      : parts.filter(({ number }) => number < range.before).sort((a, b) => b.number - a.number)
  return found.slice(0, range.limit)
}

function tailOf({ start, lines }: Session): number {
  return start + lines.length
}

function pendingOf({ commands }: Session): readonly Command[] {
  return commands.filter(({ isPending }) => isPending)
}

function toLease({ owner, ms }: Lease) {
  return { owner, until: Date.now() + ms }
}

function toHeld({ owner, until }: NonNullable<Session['lease']>) {
  return { owner, hasLapsed: until <= Date.now() }
}

function toRow(session: Session): SessionRow {
  const { name, head, owner = null } = session
  return { session: name, tail: tailOf(session), head, owner }
}

function toInfo(session: Session): SessionInfo {
  const { name, log, generation, epoch, inbox, head, owner = null, lease, parent } = session
  const range = { tail: tailOf(session), earliest: session.earliest }
  const pending = pendingOf(session).length
  const own = { session: name, log, generation, ...range, epoch, inbox, pending, head, owner }
  const info = parent === undefined ? own : { ...own, parent }
  return lease === undefined ? info : { ...info, lease: toHeld(lease) }
}
