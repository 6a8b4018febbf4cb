import { describe, expect, test } from 'vitest'
import { createShare, isShared } from '../../src/server/access/shares.ts'
import { storeKinds } from '../support/stores/store-kinds.ts'

const line = new TextEncoder().encode('{"type":"text","delta":"flour"}')

describe.each(storeKinds)('share links in $name', ({ missing, open }) => {
  test.skipIf(missing !== '')(
    `[SES-7] a branch does not inherit the link of its parent, and each has its own${missing}`,
    async () => {
      const place = await open()
      const store = place.connect()
      const context = { store, now: Date.now }
      const create = createShare.bind(undefined, context)
      const opens = (session: string, token: string) =>
        isShared(context, new Request(`http://localhost/?share=${token}`), session)
      const parent = await store.open('parent')
      await store.append({ session: 'parent', epoch: 1, tail: 0, lines: [line] })
      const first = await create(parent, 60_000)
      const branch = await store.fork({ from: 'parent', frame: 1, to: 'branch', head: '{}' })
      expect(await opens('parent', first.token)).toBe(true)
      expect(await opens('branch', first.token)).toBe(false)
      const ofBranch = await create(branch, 60_000)
      expect(await opens('parent', first.token)).toBe(true)
      expect(await opens('branch', ofBranch.token)).toBe(true)
      expect(await opens('parent', ofBranch.token)).toBe(false)
      const second = await create(parent, 60_000)
      expect(await opens('parent', first.token)).toBe(false)
      expect(await opens('parent', second.token)).toBe(true)
      expect(await opens('branch', ofBranch.token)).toBe(true)
      await store.close()
      await place.close()
    },
  )
})
