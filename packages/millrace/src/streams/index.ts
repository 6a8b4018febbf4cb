export { callApart } from './call-apart.ts'
export { holdTurns, inFreeTurn } from './free-turns.ts'
export { startIdleTimer } from './idle-timer.ts'
export { LONGEST_TIMER_MS, sleep } from './sleep.ts'
