export type { SegmentTextOptions } from './segment-text.ts'
export { type OpenBlock, OpenBlocks, type Prose } from './open-blocks.ts'
export { createTextReader } from './text-reader.ts'
export { toTextRequest, type TextRequestOptions } from './to-text-request.ts'
