export { createFrameReducer, testStore, toView } from '../testing/index.ts'
export type { CreateStore, TestTools } from '../testing/index.ts'
