import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openCommandServer, session } from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { exportSession } from './export-session.ts'
import { importSession } from './import-session.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))
afterEach(() => void vi.useRealTimers())

test('an import that waits longer for a line than its lease lasts keeps the lease', async () => {
  const source = createMemoryStore()
  const server = openCommandServer(source, { recovers: false })
  await (await server.ask('go')).text()
  await server.handler.close()
  const target = createMemoryStore()
  async function* slowly() {
    for await (const line of exportSession(source, session)) {
      yield line
      await vi.advanceTimersByTimeAsync(150_000)
      expect((await target.info(session))?.lease).toEqual({ owner: 'import', hasLapsed: false })
    }
  }
  const imported = await importSession(target, slowly())
  expect(imported.frames).toBeGreaterThan(0)
  expect((await target.info(session))?.lease).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})
