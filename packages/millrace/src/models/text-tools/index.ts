export type { SegmentTextOptions } from './segment-text.ts'
export { createTextReader } from './text-reader.ts'
export { toTextRequest, type TextRequestOptions } from './to-text-request.ts'
