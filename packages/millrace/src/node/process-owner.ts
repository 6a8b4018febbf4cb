import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process as the holder of leases: its name, and a check of whether another process has ended. */
export interface ProcessOwner {
  /** `host:pid:startTime`, which is unique even if a later process has the same id. */
  readonly node: string
  /** Whether a process of this machine is known to have ended. Processes of other machines are unknown. */
  readonly isGone: (owner: string) => boolean
}

/** Facts about a process from `/proc`. */
interface ProcessFacts {
  /** In ticks since the machine started. */
  readonly startTime: string
  readonly hasEnded: boolean
}

/** Creates the owner of this process. Without `/proc`, a process counts as ended only if its id is unused. */
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
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** States of an ended process: a zombie that was not reaped, and dead. */
const endedStates = new Set(['Z', 'X', 'x'])

function readProcess(pid: string): ProcessFacts | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  if (stat === undefined) return undefined
  // The program name is in parentheses and may contain anything. The state is the third field, after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', startTime] = [fields[0], fields[19]]
  return startTime === undefined ? undefined : { startTime, hasEnded: endedStates.has(state) }
}

/**
 * Returns the host name, with a mark on Linux: another machine or container may have the same name, and its processes
 * are invisible here.
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
