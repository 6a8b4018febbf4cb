export { createMemoryStore } from './memory-store.ts'
export type { MemoryStoreOptions } from './sessions.ts'
