import { expect } from 'vitest'
import type { LogEntry, Store } from '../../../../src/stores/port/index.ts'
import { maxPadding, numberedLine } from './numbered-lines.ts'

/** Fails unless entries are the lines after an id, without a hole. */
export function expectNumbered(
  session: string,
  after: number,
  entries: readonly LogEntry[],
  padding = maxPadding,
): void {
  entries.forEach(({ id, line }, index) => {
    const isRight =
      id === after + index + 1 && Buffer.from(line).equals(numberedLine(session, id, padding))
    if (!isRight) expect(`${id} ${Buffer.from(line).toString()}`).toBe(after + index + 1)
  })
}

/** Reads a log to its tail, checks every line, and returns the id of the last one. */
export async function readNumbered(
  store: Store,
  session: string,
  { after = 0, padding = maxPadding } = {},
): Promise<number> {
  for (let last = after; ;) {
    const page = await store.read(session, last, 500)
    expectNumbered(session, last, page, padding)
    if (page.length === 0) return last
    last += page.length
  }
}
