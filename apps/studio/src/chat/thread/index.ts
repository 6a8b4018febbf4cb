export { AgentColumn } from './agent-column.tsx'
export { hasEndedSilently } from './run-state.ts'
export { Working } from './working.tsx'
