export { sleep } from './sleep.ts'
export { toByteStream } from './to-byte-stream.ts'
