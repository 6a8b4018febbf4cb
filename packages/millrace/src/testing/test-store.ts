import type { Store } from '../stores/port/index.ts'
import { branching } from './store/branching.ts'
import { combined } from './store/combined.ts'
import { files, wake } from './store/files-and-wake.ts'
import { inbox } from './store/inbox.ts'
import { leasing } from './store/leasing.ts'
import { log } from './store/log.ts'
import { parts } from './store/parts.ts'
import { sessions } from './store/sessions.ts'
import type { TestTools } from './test-tools.ts'

/** Creates an empty store for one test. */
export type CreateStore = () => Promise<Store> | Store

/** The checks of each port, and of the whole store. docs/stores.md lists the methods that each needs. */
const ports = {
  sessions,
  log,
  parts,
  branches: branching,
  inbox,
  leases: leasing,
  files,
  wake,
  store: combined,
}

/** Declares the tests that every store must pass, with the given test runner. The name of each begins with its port, such as `log: `. */
export function testStore(tools: TestTools, create: CreateStore): void {
  for (const [port, checks] of Object.entries(ports))
    for (const [name, check] of Object.entries(checks))
      tools.test(`${port}: ${name}`, async () => {
        const store = await create()
        try {
          await check(store, tools.expect)
        } finally {
          await store.close()
        }
      })
}
