import { readFileSync } from 'node:fs'

/** Reads the maximum number of open file descriptors of this process; undefined if it is unknown. */
export function readDescriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
    return Number.isInteger(limit) ? limit : undefined
  } catch {
    return undefined
  }
}
