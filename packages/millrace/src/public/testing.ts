export { testStore, toView } from '../testing/index.ts'
export type { CreateStore, TestTools } from '../testing/index.ts'
