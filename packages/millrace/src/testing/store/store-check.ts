import type { Store } from '../../store/index.ts'
import type { TestTools } from '../test-tools.ts'

/** Tries one promise of a store that is empty, and closed afterwards. */
export type StoreCheck = (store: Store, expect: TestTools['expect']) => Promise<void>
