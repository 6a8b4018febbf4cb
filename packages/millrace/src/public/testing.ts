export { createFrameReducer } from '../testing/frame-reducer.ts'
export {
  scriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptEntry,
} from '../testing/model/scripted-model.ts'
export { testStore, type CreateStore } from '../testing/test-store.ts'
export type { TestTools } from '../testing/test-tools.ts'
export { toView } from '../testing/transcript-view.ts'
