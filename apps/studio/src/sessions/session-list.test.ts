import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonResponse } from '../server/request-json.ts'
import { refreshDelays, toNextDelay } from './follow-list.ts'
import { mergeFirstPage } from './merge-rows.ts'
import { createSessionList } from './session-list.ts'
import type { SessionRow } from './session-row.ts'

/** Creates a server with sessions by id, the latest first. */
function createServer(ids: string[]) {
  const asked: string[] = []
  let refusal: JsonResponse | undefined
  const ask = async (path: string): Promise<JsonResponse> => {
    asked.push(path)
    if (refusal) return refusal
    const query = new URL(path, 'http://localhost').searchParams
    const offset = Number(query.get('offset'))
    const sessions = ids
      .slice(offset, offset + Number(query.get('limit')))
      .map((agent_uuid) => ({ agent_uuid, title: agent_uuid, status: 'ended', total_runs: 1 }))
    return { ok: true, status: 200, body: { sessions, total: ids.length } }
  }
  const refuse = (status: number): void => {
    refusal = status ? { ok: false, status, message: 'No.' } : undefined
  }
  return { ask, asked, refuse }
}

const count = (length: number): string[] => Array.from({ length }, (_, index) => `s${index}`)

describe('the list of a server', () => {
  test('is read in pages until it is complete', async () => {
    const ids = count(120)
    const list = createSessionList(createServer(ids))
    await list.refresh()
    expect(list.getSnapshot()).toMatchObject({ total: 120, problem: undefined })
    await list.readMore()
    await list.readMore()
    expect(list.getSnapshot().rows.map(({ id }) => id)).toEqual(ids)
  })

  test('does not notify and keeps its rows without changes', async () => {
    const list = createSessionList(createServer(count(3)))
    expect(await list.refresh()).toBe(true)
    const before = list.getSnapshot()
    let calls = 0
    list.subscribe(() => calls++)
    expect(await list.refresh()).toBe(false)
    expect(list.getSnapshot()).toBe(before)
    expect(calls).toBe(0)
  })

  test('puts the latest session first and keeps the rest', async () => {
    const ids = count(80)
    const list = createSessionList(createServer(ids))
    await list.refresh()
    await list.readMore()
    ids.unshift('new')
    ids.splice(71, 1)
    ids.unshift('s70')
    await list.refresh()
    expect(list.getSnapshot().rows.map(({ id }) => id)).toEqual(ids)
  })

  test('reads on after rows that moved, without repeating any', async () => {
    const ids = count(70)
    const list = createSessionList(createServer(ids))
    await list.refresh()
    ids.unshift('new1', 'new2')
    await list.readMore()
    const shown = list.getSnapshot().rows.map(({ id }) => id)
    expect(new Set(shown).size).toBe(shown.length)
    await list.refresh()
    expect(list.getSnapshot().rows.map(({ id }) => id)).toEqual(ids)
  })

  test('starts again when some sessions are gone', async () => {
    const ids = count(60)
    const list = createSessionList(createServer(ids))
    await list.refresh()
    await list.readMore()
    ids.splice(55, 3)
    await list.refresh()
    await list.readMore()
    expect(list.getSnapshot().rows.map(({ id }) => id)).toEqual(ids)
  })

  test('keeps its rows when the server fails, and shows the problem until it responds', async () => {
    const server = createServer(count(3))
    const list = createSessionList(server)
    await list.refresh()
    server.refuse(503)
    await list.refresh()
    const { rows, problem } = list.getSnapshot()
    expect(rows).toHaveLength(3)
    expect(problem).toEqual({ status: 503, message: 'No.' })
    server.refuse(0)
    expect(await list.refresh()).toBe(true)
    expect(list.getSnapshot().problem).toBeUndefined()
  })

  test('requests once for concurrent refreshes', async () => {
    const server = createServer(count(3))
    const list = createSessionList(server)
    await Promise.all([list.refresh(), list.refresh(), list.refresh()])
    expect(server.asked).toHaveLength(1)
  })

  test('rejects other responses', async () => {
    const ask = async () => ({ ok: true, status: 200, body: ['hello'] }) as const
    const list = createSessionList({ ask })
    await list.refresh()
    expect(list.getSnapshot().problem?.message).toContain('not a list')
  })
})

test('equal rows stay the same objects in any order', () => {
  const toRow = (id: string): SessionRow => ({
    id,
    title: id,
    agent: 'demo',
    status: 'ended',
    stopReason: 'end_turn',
    updatedAt: 1,
    runs: 1,
  })
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 12 })
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const known = before.map(toRow)
      const merged = mergeFirstPage(known, { rows: after.map(toRow), total: 100 })
      for (const row of known) expect(merged).toContain(row)
      expect(merged.slice(0, after.length).map(({ id }) => id)).toEqual(after)
      expect(new Set(merged.map(({ id }) => id)).size).toBe(merged.length)
    }),
  )
})

describe('the delays between refreshes', () => {
  const delaysOf = async (status: string, refusal = 0): Promise<number[]> => {
    const server = createServer(['one'])
    const ask = async (path: string): Promise<JsonResponse> => {
      const answer = await server.ask(path)
      if (!answer.ok) return answer
      return { ...answer, body: { sessions: [{ agent_uuid: 'one', status }], total: 1 } }
    }
    const list = createSessionList({ ask })
    server.refuse(refusal)
    await list.refresh()
    const delays = [refreshDelays.first]
    while (delays.length < 12) delays.push(toNextDelay(delays.at(-1) ?? 0, list))
    return delays
  }

  test('grow without changes', async () => {
    const delays = await delaysOf('ended')
    expect(delays[1]).toBeGreaterThan(delays[0] ?? 0)
    expect(delays.at(-1)).toBe(refreshDelays.longest)
  })

  test('stay short during a run', async () => {
    expect((await delaysOf('running')).at(-1)).toBe(refreshDelays.longestRunning)
  })

  test('grow faster and longer while the server fails', async () => {
    expect((await delaysOf('ended', 500)).at(-1)).toBe(60_000)
  })
})
