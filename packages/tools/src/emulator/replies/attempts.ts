import { hashText } from '../random.ts'

/** Counter of consecutive failures of the same request. */
export interface Attempts {
  countOf(body: string): number
  /** Counts a failure, or resets the counter after a success. */
  settle(body: string, isFailure: boolean): void
}

/** Creates a counter that evicts the oldest of more than `maxRequests` requests. */
export function createAttempts(maxRequests = 1000): Attempts {
  const counts = new Map<string, number>()
  return {
    countOf: (body) => counts.get(hashText(body)) ?? 0,
    settle(body, isFailure) {
      const key = hashText(body)
      const count = counts.get(key) ?? 0
      counts.delete(key)
      if (!isFailure) return
      counts.set(key, count + 1)
      const [oldest] = counts.keys()
      if (counts.size > maxRequests && oldest !== undefined) counts.delete(oldest)
    },
  }
}
