import type { Store } from '../../stores/port/index.ts'
import type { TestTools } from '../test-tools.ts'

/** Checks one promise on an empty store, which is closed afterwards. */
export type StoreCheck = (store: Store, expect: TestTools['expect']) => Promise<void>
