export { createMessageReader } from './reader/message-reader.ts'
export { parseEvent } from './reader/parse-event.ts'
export { dropForeign } from './request/remove-foreign.ts'
