export { decodeSse, type SseBody } from './decode-sse.ts'
export { encodeSse, type SseFrame } from './encode-sse.ts'
export {
  frameLength,
  frameLines,
  lineOfFrame,
  writeFrame,
  type IdentifiedLine,
} from './frame-lines.ts'
export { createEventDecoder } from './event-decoder.ts'
export { createSseDecoder } from './sse-decoder.ts'
export type { SseEvent } from './sse-event.ts'
export { DONE_DATA, DONE_FRAME, HEARTBEAT_FRAME } from './sse-frames.ts'
export { SSE_HEADERS } from './sse-headers.ts'
