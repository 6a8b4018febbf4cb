import { afterEach, describe, expect, test, vi } from 'vitest'
import { openCommandServer, session as id } from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Session } from '../session.ts'

/** A browser tab. Its storage outlives its pages. */
function createTab(copied: ReadonlyMap<string, string> = new Map()) {
  const values = new Map(copied)
  let listeners = new Map<string, () => void>()
  return {
    values,
    /** Loads a page, with new modules of the client. */
    load: async () => {
      vi.resetModules()
      listeners = new Map()
      vi.stubGlobal('sessionStorage', {
        getItem: (name: string) => values.get(name) ?? null,
        setItem: (name: string, value: string) => values.set(name, value),
      })
      vi.stubGlobal('addEventListener', (type: string, listener: () => void) =>
        listeners.set(type, listener),
      )
      return import('../../public/client.ts')
    },
    leave: () => listeners.get('pagehide')?.(),
    comeBack: () => listeners.get('pageshow')?.(),
  }
}

afterEach(() => vi.unstubAllGlobals())

async function open() {
  const { handler, ask } = openCommandServer(createMemoryStore())
  await (await ask('ask')).text()
  const fetch: Session['options']['fetch'] = (url, init) => handler.fetch(new Request(url, init))
  return { url: 'http://localhost', session: id, fetch }
}

describe('a claim of a tab', () => {
  test('is taken over at once by the reloaded page', async () => {
    const options = await open()
    const tab = createTab()
    const first = await tab.load()
    const claimed = await first.claimCall(first.createSession(options), 'c1')
    expect(claimed.claimed).toBe(true)
    tab.leave()
    const again = await tab.load()
    expect((await again.claimCall(again.createSession(options), 'c1')).claimed).toBe(true)
    const other = await createTab().load()
    expect((await other.claimCall(other.createSession(options), 'c1')).claimed).toBe(false)
  })

  test('is neither that of a duplicated tab nor that of another session in the page', async () => {
    const options = await open()
    const tab = createTab()
    const first = await tab.load()
    const one = first.createSession(options)
    expect((await first.claimCall(one, 'c1')).claimed).toBe(true)
    expect((await first.claimCall(one, 'c1')).claimed).toBe(true)
    expect((await first.claimCall(first.createSession(options), 'c1')).claimed).toBe(false)
    const copy = await createTab(tab.values).load()
    expect((await copy.claimCall(copy.createSession(options), 'c1')).claimed).toBe(false)
    // A page that is restored from the cache is the only one with its name.
    tab.leave()
    tab.comeBack()
    const late = await createTab(tab.values).load()
    expect((await late.claimCall(late.createSession(options), 'c1')).claimed).toBe(false)
  })

  test('works in a page without storage', async () => {
    const options = await open()
    vi.resetModules()
    vi.stubGlobal('sessionStorage', {
      getItem: () => {
        throw new Error('denied')
      },
      setItem: () => {
        throw new Error('denied')
      },
    })
    const client = await import('../../public/client.ts')
    expect((await client.claimCall(client.createSession(options), 'c1')).claimed).toBe(true)
  })
})
