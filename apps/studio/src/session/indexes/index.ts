export { createFrameIndexes } from './frame-indexes.ts'
export type { FrameIndexes } from './frame-indexes.ts'
