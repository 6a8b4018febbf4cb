import type { Store } from '../stores/port/index.ts'
import { branching } from './store/branching.ts'
import { inbox } from './store/inbox.ts'
import { retention } from './store/retention.ts'
import { leasing } from './store/leasing.ts'
import { listing } from './store/listing.ts'
import { owning } from './store/owning.ts'
import { parts } from './store/parts.ts'
import { reading } from './store/reading.ts'
import { waiting } from './store/waiting.ts'
import { writing } from './store/writing.ts'
import type { TestTools } from './test-tools.ts'

/** Creates an empty store for one test. */
export type CreateStore = () => Promise<Store> | Store

/** Declares the tests that every store must pass, with the given test runner. */
export function testStore(tools: TestTools, create: CreateStore): void {
  const storing = [writing, reading, waiting, parts, inbox, leasing, retention]
  const ports = [...storing, listing, owning, branching]
  for (const [name, check] of ports.flatMap((port) => Object.entries(port))) {
    tools.test(name, async () => {
      const store = await create()
      try {
        await check(store, tools.expect)
      } finally {
        await store.close()
      }
    })
  }
}
