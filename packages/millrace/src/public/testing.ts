export { createFrameReducer } from '../testing/frame-reducer.ts'
export { testStore, type CreateStore } from '../testing/test-store.ts'
export type { TestTools } from '../testing/test-tools.ts'
export { toView } from '../testing/transcript-view.ts'
