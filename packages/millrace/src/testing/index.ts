export { testStore } from './test-store.ts'
export type { CreateStore } from './test-store.ts'
export type { TestTools } from './test-tools.ts'
export { toView } from './transcript-view.ts'
