import { readFileSync } from 'node:fs'

/** Reads how many descriptors this process may have open; undefined where the system does not tell. */
export function readDescriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
    return Number.isInteger(limit) ? limit : undefined
  } catch {
    return undefined
  }
}
