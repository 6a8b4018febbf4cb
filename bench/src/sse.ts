export { createSseDecoder } from '../../packages/millrace/src/sse/index.ts'
