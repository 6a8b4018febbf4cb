import {
  checkHead,
  checkKey,
  type Command,
  type CommandChange,
  type FilePort,
  inboxDiffers,
  inboxFull,
  type InboxPort,
  type Lease,
  leaseLost,
  type LeasePort,
  type LogPort,
  MAX_PENDING,
  type PartChange,
  type PartPort,
  type SessionInfo,
  type SessionPort,
  type Store,
  tailDiffers,
  type WakePort,
} from 'millrace/store'
import { type Folder, openFolder, type Session } from './session-folder.ts'

/** Keeps each session as one JSON file of a folder, for one process. */
export function createFileStore(path: string): Store {
  const folder = openFolder(path)
  return {
    isDurable: true,
    ...createSessionPort(folder),
    ...createLogPort(folder),
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
    open: async (name, lease, epoch) => {
      const current = folder.get(name)?.epoch ?? 0
      if (epoch !== undefined && epoch !== current) throw leaseLost(name, epoch, current)
      return folder.change(folder.provide(name), (copy) => {
        copy.epoch += 1
        copy.lease = lease && toLease(lease)
        copy.writtenAt = folder.tick()
        return toInfo(copy)
      })
    },

    info: async (name) => {
      const session = folder.get(name)
      return session && toInfo(session)
    },

    list: async ({ limit, offset }) => {
      const all = folder.all()
      const page = all.slice(offset, offset + limit)
      const rows = page.map(({ name, lines, head }) => ({
        session: name,
        tail: lines.length,
        head,
      }))
      return { rows, total: all.length }
    },

    remove: async (name) => folder.remove(name),

    prune: async (idleMs) => {
      const before = Date.now() - idleMs
      const isIdle = ({ lease, writtenAt }: Session) => lease === undefined && writtenAt <= before
      return folder.all().filter((one) => isIdle(one) && folder.remove(one.name)).length
    },
  }
}

function createLogPort({ find, change, tick, waiters }: Folder): LogPort {
  return {
    append: async (append) => {
      const { session: name, lease, head, parts = [], commands = [] } = append
      const session = find(name)
      checkHead(head)
      for (const { key } of commands) checkKey(key)
      compareWriter(session, append.epoch, append.log)
      const { length: tail } = session.lines
      if (append.tail !== tail) throw tailDiffers(name, append.tail, tail)
      if (append.inbox !== undefined && append.inbox !== session.inbox)
        throw inboxDiffers(name, append.inbox, session.inbox)
      const stored = change(session, (copy) => {
        for (const line of append.lines) copy.lines.push(Buffer.from(line).toString('base64'))
        copy.head = head ?? copy.head
        for (const part of parts) putPart(copy, part)
        for (const command of commands) putCommand(copy, command)
        if (lease !== undefined) copy.lease = lease === 'release' ? undefined : toLease(lease)
        copy.writtenAt = tick()
        return { tail: copy.lines.length, inbox: copy.inbox }
      })
      waiters.wake(name, stored.tail)
      return stored
    },

    read: async (name, after, limit, log) =>
      find(name, log)
        .lines.slice(after, after + limit)
        .map((line, index) => ({ id: after + index + 1, line: Buffer.from(line, 'base64') })),

    wait: async (name, after, signal, log) => {
      const { lines } = find(name, log)
      if (signal.aborted || lines.length <= after) await waiters.wait(name, after, signal)
    },
  }
}

function createPartPort({ get, find }: Folder): PartPort {
  return {
    parts: async (name, collection, range, log) => {
      if (get(name) === undefined) return []
      const all = find(name, log).parts.filter((part) => part.collection === collection)
      const found =
        'after' in range
          ? all.filter(({ number }) => number > range.after).sort((a, b) => a.number - b.number)
          : all.filter(({ number }) => number < range.before).sort((a, b) => b.number - a.number)
      return found.slice(0, range.limit)
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

    unattended: async (limit) =>
      all()
        .filter((session) => session.lease === undefined && pendingOf(session).length > 0)
        .slice(0, limit)
        .map(({ name }) => name),

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

    leases: async (limit) =>
      all()
        .flatMap(({ name, lease }) => (lease === undefined ? [] : { session: name, ...lease }))
        .sort((a, b) => a.until - b.until)
        .slice(0, limit)
        .map(({ session, ...lease }) => ({ session, ...toHeld(lease) })),
  }
}

function createFilePort({ get, find, change }: Folder): FilePort {
  return {
    putFile: async (name, { bytes, ...file }) =>
      change(find(name), (copy) => {
        const others = copy.files.filter(({ id }) => id !== file.id)
        copy.files = [...others, { ...file, data: Buffer.from(bytes).toString('base64') }]
      }),

    file: async (name, id) => {
      const found = get(name)?.files.find((file) => file.id === id)
      if (found === undefined) return undefined
      const { data, ...file } = found
      return { ...file, bytes: Buffer.from(data, 'base64') }
    },

    fileIds: async (name) => get(name)?.files.map(({ id }) => id) ?? [],
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

function pendingOf({ commands }: Session): readonly Command[] {
  return commands.filter(({ isPending }) => isPending)
}

function toLease({ owner, ms }: Lease) {
  return { owner, until: Date.now() + ms }
}

function toHeld({ owner, until }: NonNullable<Session['lease']>) {
  return { owner, hasLapsed: until <= Date.now() }
}

function toInfo(session: Session): SessionInfo {
  const { name, log, generation, epoch, inbox, head, lease } = session
  const range = { tail: session.lines.length, earliest: 1 }
  const pending = pendingOf(session).length
  const info = { session: name, log, generation, ...range, epoch, inbox, pending, head }
  return lease === undefined ? info : { ...info, lease: toHeld(lease) }
}
