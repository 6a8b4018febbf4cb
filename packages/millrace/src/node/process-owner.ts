import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process as the holder of leases: its name, and whether the process of another name has ended. */
export interface ProcessOwner {
  /** `host:pid:startTime`, which no other process has, nor a later one with the same id. */
  readonly node: string
  /** Tells whether a process of this machine is known to be gone; of others nothing is known. */
  readonly isGone: (owner: string) => boolean
}

/** What Linux tells of a process. */
interface ProcessFacts {
  /** In ticks since the machine was started. */
  readonly startTime: string
  readonly hasEnded: boolean
}

/** Describes this process; where there is no `/proc`, a process counts as gone only if its id is not used. */
export function createProcessOwner(): ProcessOwner {
  const host = describeHost()
  const startTime = readProcess('self')?.startTime ?? `@${Math.round(performance.timeOrigin)}`
  const node = `${host}:${process.pid}:${startTime}`
  return {
    node,
    isGone: (owner) => {
      const found = owner === node ? undefined : decodeOwner(owner)
      return found !== undefined && found.host === host && !isAlive(found.pid, found.startTime)
    },
  }
}

interface Owner {
  readonly host: string
  readonly pid: number
  readonly startTime: string
}

function decodeOwner(owner: string): Owner | undefined {
  const found = /^(.+):([1-9]\d{0,9}):(@?\d+)$/.exec(owner)
  if (found === null) return undefined
  const [, host = '', pid, startTime = ''] = found
  return { host, pid: Number(pid), startTime }
}

function isAlive(pid: number, startTime: string): boolean {
  const facts = readProcess(String(pid))
  if (facts !== undefined) return !facts.hasEnded && facts.startTime === startTime
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists as well.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** States of a process that does nothing any more: a zombie, which nobody has asked how it ended, and the dead. */
const endedStates = new Set(['Z', 'X', 'x'])

function readProcess(pid: string): ProcessFacts | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  if (stat === undefined) return undefined
  // The name of the program stands in parentheses and may hold anything; the state follows it as the third field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', startTime] = [fields[0], fields[19]]
  return startTime === undefined ? undefined : { startTime, hasEnded: endedStates.has(state) }
}

/**
 * The name of the machine, with a mark where Linux can tell one: another machine or container may have the same name,
 * and its processes cannot be seen from here.
 */
function describeHost(): string {
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  const processes = tryRead(() => readlinkSync('/proc/self/ns/pid'))
  if (boot === undefined || processes === undefined) return hostname()
  const mark = createHash('sha256').update(`${boot}${processes}`).digest('hex').slice(0, 8)
  return `${hostname()}~${mark}`
}

function tryRead(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
