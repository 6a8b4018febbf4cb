export { callApart } from './call-apart.ts'
export { LONGEST_TIMER_MS } from './longest-timer.ts'
export { sleep } from './sleep.ts'
export { toByteStream } from './to-byte-stream.ts'
