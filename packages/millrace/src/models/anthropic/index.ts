export { createMessageReader } from './reader/message-reader.ts'
export { parseEvent } from './reader/message-stream.ts'
export { dropForeign } from './request/message-params.ts'
